from ssdsim.ftl.backup.base cimport PairedPageBackup

cdef class BlockParity(PairedPageBackup):
    pass

cdef class PairParity(PairedPageBackup):
    pass

cdef class PageCopy(PairedPageBackup):
    pass
