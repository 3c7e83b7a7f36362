"""Solutions of 07_victim_policy."""

from statistics import mean
from typing import Any

from ssdsim import preset, simulate
from ssdsim.ftl.reclaim.victims import Fifo, Greedy
from ssdsim.policies import FullBlocks, VictimPolicy

HOT = {
    "80/20": {"workload.hot_share": 0.2, "workload.hot_traffic": 0.8},
    "90/10": {"workload.hot_share": 0.1, "workload.hot_traffic": 0.9},
}
SEEDS = (1, 2, 3)


class Ages(FullBlocks):
    """Full blocks that know when a page of them last died."""

    def __init__(self, planes: int, blocks_per_plane: int, pages_per_block: int):
        super().__init__(planes, blocks_per_plane, pages_per_block)
        self.pages = pages_per_block
        self.clock = 0
        self.died: dict[int, int] = {}

    def filled(self, block: int, plane: int, valid: int) -> None:
        """Keep when a block was full."""
        super().filled(block, plane, valid)
        self.died[block] = self.clock

    def invalidated(self, block: int, plane: int, valid: int) -> None:
        """Keep when a page of a full block died."""
        super().invalidated(block, plane, valid)
        self.clock += 1
        self.died[block] = self.clock


class Weighed(VictimPolicy):
    """The block with the highest age ** k * (1 - u) / u ** j; with 1 and 1 it chooses as the notebook's policy."""

    def __init__(self, k: float = 1, j: float = 1):
        super().__init__()
        self.k, self.j = k, j

    def make_index(self, planes: int, blocks_per_plane: int, pages_per_block: int, seed: Any) -> FullBlocks:
        """Have ages kept."""
        self.full: Ages = Ages(planes, blocks_per_plane, pages_per_block)
        return self.full

    def score(self, block: int) -> float:
        """Return benefit over cost."""
        u = self.full.valid(block) / self.full.pages
        age = 1 + self.full.clock - self.full.died[block]
        return float(age**self.k * (1 - u) / u**self.j) if u else float("inf")

    def select(self, plane: int) -> int:
        """Return the block to collect, or -1 for none."""
        blocks = [self.full.at(plane, index) for index in range(self.full.count(plane))]
        return max(blocks, key=self.score, default=-1)


def amplification(victim: str, workload: str, seed: int = 1, **keys: Any) -> float:
    """Return the write amplification of a run under the notebook's rules."""
    device = {
        "hardware.channels": 1,
        "hardware.chips_per_channel": 1,
        "hardware.dies_per_chip": 1,
        "hardware.planes_per_die": 1,
        "hardware.blocks_per_plane": 128,
        "hardware.pages_per_block": 48,
        "hardware.over_provisioning": 0.15,
    }
    writes = {"workload.requests": 25_000, "workload.read_share": 0, "workload.pattern": "hot_cold"}
    keys = {"workload": "synthetic", **device, **writes, **HOT[workload], **keys, "ftl.gc.victim": victim}
    return float(simulate(preset("baseline", seed=seed, timing="off", **keys)).summary["write_amplification"])


WEIGHED = f"{__name__}.Weighed"


def exercise_1() -> None:
    """Greedy takes block 2, FIFO block 0, and `Aged` block 1: its scores are 5, 16.7 and 1.5.

    10 x 0.5 / 1 = 5, 100 x 0.25 / 1.5 = 16.7 and 1 x 0.75 / 0.5 = 1.5.
    """
    policies = [Greedy(), Fifo(), Weighed()]
    for policy, expected in zip(policies, (2, 0, 1), strict=True):
        index = policy.make_index(planes=1, blocks_per_plane=4, pages_per_block=48, seed=1)
        for block, valid in enumerate((25, 37, 13)):
            index.filled(block, 0, valid)
        for block, valid in ((1, 36), (0, 24), (2, 12)):
            index.invalidated(block, 0, valid)
        if isinstance(index, Ages):
            index.clock, index.died = 100, {0: 91, 1: 1, 2: 100}
            assert [round(policy.score(block) / 2, 1) for block in range(3)] == [5, 16.7, 1.5]
        assert policy.select(0) == expected


def exercise_2() -> None:
    """A `k` of 0 is greedy, but for the choice among equals; 0.5 is the best, a little better than 1; 2 is far off.

    With `k = 2` the age counts so much that blocks are collected that are old and full of cold, valid pages.
    """
    found = {k: amplification(WEIGHED, "90/10", **{"ftl.gc.options": {"k": k}}) for k in (0, 0.5, 1, 2)}
    assert min(found, key=lambda k: found[k]) == 0.5
    assert found[1] < 1.1 * found[0.5]
    assert found[2] > 1.2 * found[1]
    assert abs(found[0] / amplification("greedy", "90/10") - 1) < 0.05


def exercise_3() -> None:
    """With `shared` greedy wins, and both are worse than before. With `hot_cold` both gain, and `Aged` still wins.

    To leave hot blocks alone is of use only if there *are* hot blocks. Where moved pages, which are mostly cold, share
    blocks with new ones, every block has pages of both kinds, and its age tells little. `hot_cold` sends hot moved
    pages to the host's blocks, so that the others hold cold ones alone.

    But only if it can tell which they are. `timing=off` has no time, so no update is ever forgotten, and by the end of
    preconditioning most cold pages have the two that make a page hot: it is then hardly better than `shared`. With
    `ftl.hot_updates=8` it does what it is for.
    """
    choices = {
        "separate": {"ftl.active_blocks": "separate"},
        "shared": {"ftl.active_blocks": "shared"},
        "two updates": {"ftl.active_blocks": "hot_cold"},
        "eight updates": {"ftl.active_blocks": "hot_cold", "ftl.hot_updates": 8},
    }
    found = {
        (victim, name): mean(amplification(victim, "90/10", seed, **keys) for seed in SEEDS[:2])
        for victim in (WEIGHED, "greedy")
        for name, keys in choices.items()
    }
    assert found["greedy", "shared"] < found[WEIGHED, "shared"]
    for victim in (WEIGHED, "greedy"):
        assert found[victim, "eight updates"] < found[victim, "separate"] < found[victim, "two updates"]
        assert found[victim, "two updates"] < found[victim, "shared"]
    assert found[WEIGHED, "eight updates"] < found["greedy", "eight updates"]


def exercise_4() -> None:
    """One of many: `age ** 0.7 * (1 - u) / u ** 1.5`, which trusts the age less and shuns full blocks more.

    It has 3 to 5 percent less write amplification than cost-benefit in both workloads, for each seed.
    """
    for workload in HOT:
        for seed in SEEDS:
            ours = amplification(WEIGHED, workload, seed, **{"ftl.gc.options": {"k": 0.7, "j": 1.5}})
            gain = 1 - ours / amplification("cost_benefit", workload, seed)
            assert 0.02 < gain < 0.08
