from ssdsim.flash.scheduler.policy cimport SchedulingPolicy
from ssdsim.flash.scheduler.unit cimport TransactionSchedulingUnit
