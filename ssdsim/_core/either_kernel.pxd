from ssdsim._core.schedule cimport Routine, Timer

cpdef object make_environment(str kernel, long long start_ns=*)
cpdef long long now(object env) except? -1
cpdef double time_of(object env) except? -1
cpdef double next_time_of(object env) except? -1
cpdef int fire(object event, object value=*, double delay=*) except -1
cpdef int call_later(object env, double delay, object callback) except -1
cpdef int set_timer(object env, long long delay, Timer timer) except -1
cpdef int run_before(object env, double end, list signals) except -1
cpdef int advance_clock(object env, long long time) except -1
cpdef object run_routine(object env, Routine routine)
