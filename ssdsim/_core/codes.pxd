cpdef enum:     # what a request asks for
    WRITE = 1
    TRIM = 2
    FLUSH = 3

cpdef enum:     # what a transaction does; READ is also a request's
    READ = 0
    PROGRAM = 1
    ERASE = 2
    COPYBACK = 3
    OPERATION_COUNT = 5

cpdef enum:     # on whose behalf a transaction runs
    HOST = 0
    GC = 1
    MAPPING = 2
    BACKUP = 3
    MERGE = 4
    REFRESH = 5
    SOURCE_COUNT = 6
