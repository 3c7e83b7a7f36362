"""Which policies there are: for each key of the configuration the base class and the classes that have a name.

This is the one list of names. Validators, messages, `--help` and tests read it; a new policy is its file and one entry
here, or no entry, where it is named by the dotted path of its class. Classes are names here, too: what is built of them
imports them (`ssdsim.assembly.parts`).
"""

from collections.abc import Mapping
from itertools import permutations
from typing import Any

from attrs import frozen

from ssdsim.errors import ConfigError, nearest

STATIC_ORDERS = tuple("".join(order) for order in permutations("CWDP"))
"""The static plane allocations: orders of channel, way, die and plane, fastest first."""


@frozen
class Axis:
    """What can be chosen at `key`: classes derived from `base`, of the package `home` unless they say another.

    Of `named`, an empty class means that there is none of its kind. A class of the user's `own` may be named by its
    dotted path, unless the axis takes none.
    """

    key: str
    home: str
    base: str
    named: Mapping[str, str]
    own: bool = True

    def takes_path(self, value: Any) -> bool:
        """Return whether `value` is the dotted path of a class, where one may be given."""
        # a dot tells a path from a name
        return self.own and isinstance(value, str) and "." in value and all(map(str.isidentifier, value.split(".")))

    def check(self, key: str, value: Any) -> None:
        """Raise `ConfigError`, with the nearest name, for a value at `key` that names nothing."""
        if (isinstance(value, str) and value in self.named) or self.takes_path(value):
            return
        allowed = [*self.named, *(["or the dotted path of a class"] if self.own else [])]
        raise ConfigError(f"{key}={value}: must be one of {', '.join(allowed)}{nearest(value, self.named)}.")


AXES = {
    axis.key: axis
    for axis in (
        Axis(
            "ftl.plane_allocation",
            "ssdsim.ftl.plane_allocation",
            "PlaneAllocation",
            dict.fromkeys(STATIC_ORDERS, "StaticPlaneAllocation")
            | {
                "round_robin": "RoundRobinPlaneAllocation",
                "f": "DynamicPlaneAllocation",
                "d": "DieByPage",
                "f2": "PlanesBeforeDies",
                "token": "TokenPlaneAllocation",
                "chip": "ChipPlaneAllocation",
            },
        ),
        Axis(
            "ftl.page_order",
            "ssdsim.ftl.frontier",
            "WriteFrontier",
            {
                "sequential": "SequentialFrontier",
                "page_type": "PageTypeFrontier",
                "two_phase": "TwoPhaseFrontier",
                "return_to_fast": "ReturnToFastFrontier",
            },
        ),
        Axis(
            "ftl.active_blocks",
            "ssdsim.ftl.frontier.separation",
            "Separation",
            {"separate": "Separate", "shared": "Shared", "hot_cold": "HotCold"},
        ),
        Axis(
            "ftl.page_type",
            "ssdsim.ftl.page_type",
            "PageTypeScheme",
            {
                "uniform": "Uniform",
                "host_guided": "HostGuided",
                "lsb_first": "LsbFirst",
                "slowest_first": "SlowestFirst",
                "size_based": "SizeBased",
                "queue_depth": "QueueDepth",
                "write_buffer": "WriteBuffer",
                "utilization": "Utilization",
                "adaptive": "Adaptive",
            },
        ),
        Axis(
            "ftl.mapping.scheme",
            "ssdsim.ftl.mapping",
            "PageMapping",
            {"page": "PageMapping", "dftl": "DemandMapping", "fast": "ssdsim.ftl.fast.mapping.FastMapping"},
            own=False,
        ),
        Axis(
            "ftl.gc.victim",
            "ssdsim.ftl.reclaim.victims",
            "VictimPolicy",
            {
                "greedy": "Greedy",
                "greedy_in_order": "GreedyInOrder",
                "rga": "RandomizedGreedy",
                "fifo": "Fifo",
                "random": "Random",
                "cost_benefit": "CostBenefit",
            },
        ),
        Axis(
            "ftl.backup",
            "ssdsim.ftl.backup",
            "PairedPageBackup",
            {"none": "", "block_parity": "BlockParity", "pair_parity": "PairParity", "page_copy": "PageCopy"},
        ),
        Axis(
            "buffer.replacement",
            "ssdsim.buffer.replacement",
            "Replacement",
            {"none": "", "lru": "Lru", "epo": "Epo", "plane_lists": "PlaneLists", "plane_turns": "PlaneTurns"},
        ),
        Axis(
            "scheduler.policy",
            "ssdsim.flash.scheduler",
            "SchedulingPolicy",
            {
                "fcfs": "Fcfs",
                "read_priority": "ReadPriority",
                "host_reads_first": "HostReadsFirst",
                "erases_last": "ErasesLast",
                "paq": "Paq",
            },
        ),
        Axis(
            "flash.bus",
            "ssdsim.flash.bus",
            "BusArbiter",
            {
                "starts_first": "StartsFirst",
                "data_out_first": "DataOutFirst",
                "command_first": "CommandFirst",
                "fcfs": "FirstComeFirstServed",
            },
        ),
        Axis(
            "host.arbitration",
            "ssdsim.host.arbitration",
            "Arbitration",
            {"round_robin": "RoundRobin", "weighted": "Weighted"},
        ),
    )
}
"""The axes by key; the order of names is that of messages."""
