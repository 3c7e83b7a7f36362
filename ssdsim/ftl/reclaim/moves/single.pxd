from ssdsim.flash.port cimport Transaction
from ssdsim.ftl.reclaim.collection cimport Collection
from ssdsim.ftl.reclaim.moves.interface cimport PageMoves

cdef class SingleMoves(PageMoves):
    cpdef arrived(self, Collection collection, Transaction page)
