/* Included first in every module: code that leads to a call of these is kept apart from what runs all the time. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
__attribute__((cold)) void _Py_Dealloc(PyObject *);
__attribute__((cold, unused)) static void __Pyx_AddTraceback(const char *, int, int, const char *);
__attribute__((always_inline)) static inline int __Pyx_SetItemInt_Fast(PyObject *, Py_ssize_t, PyObject *, int, int, int);
