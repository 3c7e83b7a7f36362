cimport cython
from libc.stdint cimport int64_t

from ssdsim.flash.transaction cimport Transaction
from ssdsim.ftl.layer cimport FlashTranslationLayer
from ssdsim.host.request cimport Request, WriteGroup

cdef class RowLayer(FlashTranslationLayer):
    cdef readonly int64_t super_page        # logical pages that are always written together
    @cython.locals(first=int64_t, last=int64_t, number=int64_t, lpa=int64_t, group=WriteGroup)
    cpdef submit(self, Request request)
    cpdef fill(self, WriteGroup group, int64_t lpa)
    @cython.locals(first=int64_t, last=int64_t)
    cpdef trim(self, Request request, int64_t lpa, int64_t size)
    @cython.locals(group=WriteGroup)
    cpdef gather(self, Transaction transaction)
    @cython.locals(first=Transaction, plane=int64_t)
    cpdef place_group(self, WriteGroup group)
    @cython.locals(group=WriteGroup, first=Transaction)
    cpdef int64_t page_of(self, object waiting) except -2
    @cython.locals(transaction=Transaction, ppa=int64_t)
    cpdef place_row(self, WriteGroup group, int64_t plane)
    @cython.locals(transaction=Transaction, group=WriteGroup, lpas=list)
    cpdef place_beside(self, list transactions, int64_t plane, int purpose)
    @cython.locals(group=WriteGroup, first=int64_t, waited=WriteGroup, transaction=Transaction)
    cpdef take_back(self, list transactions)
