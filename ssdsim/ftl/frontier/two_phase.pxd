from ssdsim._core.blocks cimport Blocks
from ssdsim.ftl.frontier.page_type cimport PageTypeFrontier

cdef class TwoPhaseFrontier(PageTypeFrontier):
    cpdef bind(self, Blocks blocks, object config)
