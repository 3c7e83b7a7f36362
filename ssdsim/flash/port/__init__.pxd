from ssdsim.flash.contents cimport Contents
from ssdsim.flash.controller cimport FlashController
from ssdsim.flash.die cimport Die
from ssdsim.flash.instant cimport InstantFlash
from ssdsim.flash.scheduler cimport TransactionSchedulingUnit
from ssdsim.flash.transaction cimport Transaction, TransactionPool
