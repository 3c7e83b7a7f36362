from ssdsim.ftl.frontier.page_type cimport PageTypeFrontier

cdef class TwoPhaseFrontier(PageTypeFrontier):
    pass
