"""Which transactions of two planes become one command, decided by the controller's rule itself."""

from ssdsim import FlashConfig, FtlConfig, SimulationConfig
from ssdsim._core.codes import ERASE, HOST, PROGRAM, READ
from ssdsim.assembly.device import Device
from ssdsim.flash.counters import FlashCounters
from ssdsim.flash.dies import HOST_READS, HOST_WRITES, Dies
from ssdsim.flash.instant import NOBODY
from ssdsim.flash.multi_plane import MultiPlaneCommands
from ssdsim.flash.scheduler.unit import SchedulingPolicy
from ssdsim.flash.transactions import Transactions

from .canvas import BLUE, GREEN, RED, Canvas

NAMES = {READ: "read", PROGRAM: "program", ERASE: "erase"}
CASES = (
    ((PROGRAM, 2, 7), (PROGRAM, 2, 7)),
    ((PROGRAM, 2, 7), (PROGRAM, 5, 7)),
    ((PROGRAM, 2, 7), (PROGRAM, 2, 8)),
    ((READ, 2, 7), (READ, 5, 7)),
    ((READ, 2, 7), (PROGRAM, 2, 7)),
    ((ERASE, 2, 0), (ERASE, 5, 0)),
)
"""Pairs of (operation, block, page), in plane 0 and plane 1 of a die."""

RULES = (("ftl.bac=false", False), ("ftl.bac=true", True))


class Anything(SchedulingPolicy):
    """Lets every transaction start."""

    def may_start(self, transaction: int) -> bool:
        """Return True."""
        return True


def joins(device: Device, pair: tuple[tuple[int, int, int], ...], same_block: bool) -> bool:
    """Return whether the controller makes one command of the pair."""
    blocks, transactions = device.blocks, Transactions()
    dies = Dies(transactions, 1, 1, 1)
    config = SimulationConfig(ftl=FtlConfig(bac=same_block), flash=FlashConfig(multi_plane=list(NAMES.values())))
    commands = MultiPlaneCommands(Anything(), dies, blocks, FlashCounters(2), config, 2)
    made = []
    for plane, (operation, block, page) in enumerate(pair):
        transaction = transactions.take(HOST, NOBODY, operation, -1, -1, 0)
        transactions.plane[transaction] = plane
        transactions.block[transaction] = plane * blocks.blocks_per_plane + block
        transactions.page[transaction] = page
        made.append(transaction)
    dies.queues.insert(HOST_READS if transactions.op[made[1]] == READ else HOST_WRITES, made[1], 0)
    return commands.width(0, made[0]) == 2


def multi_plane() -> str:
    """Return the picture: a pair a row, a rule a column."""
    device = Device(SimulationConfig())
    canvas = Canvas(100, 13 + 9 * len(CASES))
    for plane in (0, 1):
        canvas.text(16 + plane * 28, 4, f"Plane {plane} of a die", 9, fontweight="bold")
    for column, (name, _) in enumerate(RULES):
        canvas.text(69 + column * 19, 4, name, 8, fontweight="bold")
    for row, pair in enumerate(CASES):
        y = 9 + row * 9
        for plane, (operation, block, page) in enumerate(pair):
            place = f"block {block}" if operation == ERASE else f"block {block}, page {page}"
            canvas.box(3 + plane * 28, y, 26, 7, BLUE)
            canvas.text(16 + plane * 28, y + 3.5, f"{NAMES[operation]}: {place}", 8.5)
        for column, (_, same_block) in enumerate(RULES):
            together = joins(device, pair, same_block)
            canvas.box(61 + column * 19, y, 17, 7, GREEN if together else RED)
            canvas.text(69.5 + column * 19, y + 3.5, "one command" if together else "two commands", 8.5)
    return canvas.svg()
