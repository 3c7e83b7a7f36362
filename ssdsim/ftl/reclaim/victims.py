# cython: infer_types=True
"""Which full block of a plane the garbage collector takes, for the sake of space or of wear."""

from __future__ import annotations

from array import array

from ssdsim._core.blocks import FULL, Blocks
from ssdsim._core.columns import Int64s
from ssdsim._core.random import RandomStream
from ssdsim._core.victim_index import FillOrder, FullBlocks, ValidCountBuckets, VictimIndex
from ssdsim.config.validators import check_option, whole
from ssdsim.device_view import Policy

MOST_DRAWS = 65535


class VictimPolicy(Policy):
    """Chooses victims.

    `make_index` is called once and returns the index (see `ssdsim._core.victim_index`) that the policy wants kept over
    the full blocks; the default is the array of full blocks. `select` is called when a plane is to be collected and
    has dead pages; it returns one of the plane's full blocks, or -1 to leave the plane alone. It changes nothing but
    the policy's own state, and draws only from the `RandomStream` it was given.
    """

    full: FullBlocks
    random: RandomStream

    owed = ("select(plane) -> a whole number",)

    def make_index(self, planes: int, blocks_per_plane: int, pages_per_block: int, seed: int) -> VictimIndex:
        """Build and return the index of full blocks."""
        self.full = FullBlocks(planes, blocks_per_plane, pages_per_block)
        self.random = RandomStream(seed, "victim selection")
        return self.full

    def select(self, plane: int) -> int:
        """Return the block of `plane` to collect, or -1."""
        raise NotImplementedError


class Greedy(VictimPolicy):
    """The block with the fewest valid pages; of equals the one untouched for longest. Of no paper, and usual."""

    buckets: ValidCountBuckets

    def make_index(self, planes: int, blocks_per_plane: int, pages_per_block: int, seed: int) -> VictimIndex:
        """Keep full blocks by their valid count."""
        self.buckets = ValidCountBuckets(planes, blocks_per_plane, pages_per_block)
        return self.buckets

    def select(self, plane: int) -> int:
        """Return the least valid block."""
        return self.buckets.least_valid(plane)


class GreedyInOrder(Greedy):
    """The block with the fewest valid pages; of equals that of the lowest number, as in MQSim and SSDSim."""

    def select(self, plane: int) -> int:
        """Return the first of the least valid blocks."""
        return self.buckets.lowest_least_valid(plane)


class CostBenefit(Greedy):
    """The block with the highest age * (1 - u) / 2u, u being its valid share (Kawaguchi et al., USENIX 1995)."""

    def select(self, plane: int) -> int:
        """Return the block with the best ratio of benefit to cost."""
        return self.buckets.best_cost_benefit(plane)


class Fifo(VictimPolicy):
    """The block that has been full for longest (LRU cleaning of Desnoyers, SYSTOR 2012)."""

    queue: FillOrder

    def make_index(self, planes: int, blocks_per_plane: int, pages_per_block: int, seed: int) -> VictimIndex:
        """Keep full blocks in the order in which they filled up."""
        self.queue = FillOrder(planes, blocks_per_plane, pages_per_block)
        return self.queue

    def select(self, plane: int) -> int:
        """Return the oldest block."""
        return self.queue.oldest(plane)


class RandomizedGreedy(VictimPolicy):
    """d choices: of `choices` blocks drawn with replacement the one with the fewest valid pages, the first of equals.

    Van Houdt, "A mean field model for a class of garbage collection algorithms in flash-based solid state drives",
    SIGMETRICS 2013.
    """

    def __init__(self, choices: int = 8) -> None:
        must_be = f"a whole number of at least 1, at most {MOST_DRAWS}"
        check_option("ftl.gc.options.choices", choices, whole(1, MOST_DRAWS).test, must_be)
        self.choices = choices

    def select(self, plane: int) -> int:
        """Draw blocks and return the best of them."""
        count = self.full.count(plane)
        best = -1
        for _ in range(self.choices if count else 0):
            block = self.full.at(plane, self.random.below(count))
            if best < 0 or self.full.valid(block) < self.full.valid(best):
                best = block
        return best


class Random(RandomizedGreedy):
    """Any full block, with equal probability (Van Houdt, SIGMETRICS 2013, with d = 1)."""

    def __init__(self) -> None:
        RandomizedGreedy.__init__(self, 1)


class WearLeveling:
    """Static wear leveling: the data of the least worn full block moves once another has `threshold` erases more.

    Dynamic wear leveling, the choice of the least erased free block, is one of the free lists (`Blocks`), and static
    needs it. Aligned blocks are as worn as the one of them that has most erases. Without a threshold nothing moves.
    """

    threshold: int  # -1 for none
    cold: Int64s  # by unit: the (aligned) block to move next, or -1

    def __init__(self, blocks: Blocks, threshold: int = -1) -> None:
        self.blocks = blocks
        self.threshold = threshold
        self.cold = array("q", [-1] * blocks.units)

    def cold_block(self, unit: int) -> int:
        """Return the (aligned) block of `unit` to be collected for the sake of wear, once, or -1."""
        found = self.cold[unit]
        self.cold[unit] = -1
        return found if found >= 0 and self.blocks.all_in(found, FULL) else -1

    def block_erased(self, block: int) -> None:
        """Mark the least worn full block of its unit for collection if `block` has become much more worn."""
        if self.threshold < 0:
            return
        blocks, unit = self.blocks, self.blocks.unit_of(block)
        aligned = range(unit * blocks.blocks_per_plane, (unit + 1) * blocks.blocks_per_plane)
        full: list[int] = [each for each in aligned if blocks.all_in(each, FULL)]
        if full:
            coldest: int = min([(blocks.wear(each), each) for each in full])[1]
            if blocks.erases(block) - blocks.wear(coldest) > self.threshold:
                self.cold[unit] = coldest
