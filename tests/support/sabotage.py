"""Ways to lose, double, swap, age, hurry or misdirect a page, at each hand-over on its way: patches of the source.

A sabotage takes the place of a method of interpreted modules (compiled classes cannot be patched), and is given that,
and then what it is given. Which stacks have the part is told of their configuration, and in what kind of run it shows.
"""

SABOTAGES = {}
"""By name: the place, the method and what takes its place; which stacks have it; how power is lost in the run."""


class Bench:
    """The modules to be patched, and pytest's way to undo that."""

    def __init__(self, modules, monkeypatch):
        self.modules = modules
        self.monkeypatch = monkeypatch

    def wrap(self, place, method, wrapper):
        """Have `wrapper(original, self, ...)` take the place of a method, named as module:Class, or of a function."""
        module, _, owner = place.partition(":")
        held = self.modules[f"ssdsim.{module}"]
        held = getattr(held, owner) if owner else held
        original = getattr(held, method)
        self.monkeypatch.setattr(held, method, lambda *args: wrapper(original, *args))


NEEDS = {
    "": lambda config: True,
    "buffered": lambda config: config.buffer.replacement != "none",
    "unbuffered": lambda config: config.buffer.replacement == "none",
    "fast": lambda config: config.ftl.mapping.scheme == "fast",
    "dftl": lambda config: config.ftl.mapping.scheme == "dftl",
    "collected": lambda config: config.ftl.mapping.scheme != "fast",
    "kept": lambda config: config.ftl.mapping.scheme != "fast" and config.buffer.replacement != "none",
    "moved": lambda config: config.ftl.mapping.scheme != "fast" and config.ftl.moves != "copyback",
    "copied": lambda config: config.ftl.moves == "copyback",
    "backed up": lambda config: config.ftl.backup != "none",
    "parity": lambda config: config.ftl.backup in ("block_parity", "pair_parity"),
    "single pages": lambda config: config.ftl.unit != "super_page",
}
"""What stacks have, by name."""


def every(number):
    """Return a function that is true every so many times."""
    calls = iter(range(1, 10**9))
    return lambda: next(calls) % number == 0


def sabotage(place, method, needs="", power="none"):
    """Enter the wrapper of a method among the sabotages, by its name."""

    def enter(wrapper):
        SABOTAGES[wrapper.__name__] = (place, method, wrapper), NEEDS[needs], power
        return wrapper

    return enter


BUFFER, PAGES = "buffer.write_buffer:WriteBuffer", "buffer.pages:BufferedPages"
DIE, TSU = "flash.die:DieProcess", "flash.scheduler.unit:TransactionSchedulingUnit"
READS, WRITES = "ftl.reads:ReadPath", "ftl.writes:WritePath"
FLUSH, PROGRAM, COPYBACK, HOST = 3, 1, 3, 0


def is_of_host(stage, transaction):
    """Return whether a transaction programs a page with the host's data."""
    columns = stage.transactions
    return columns.op[transaction] == PROGRAM and columns.source[transaction] == HOST


@sabotage(BUFFER, "take_in", "buffered")
def buffer_loses_an_update(original, self, request, lpa, touched):
    held = self.pages.entries.get(lpa)
    before = None if held is None else held.data
    entry = original(self, request, lpa, touched)
    if entry is held and entry is not None:
        entry.data = before
    return entry


@sabotage(READS, "read_mapped", "unbuffered")
def reads_do_not_wait_for_the_program(original, self, *given):
    self.collector.reads_unprogrammed = True
    original(self, *given)


@sabotage(WRITES, "begin")
def partial_writes_do_not_read_the_rest(original, self, transaction, is_mapped):
    self.transactions.bytes[transaction] = self.page_bytes
    return original(self, transaction, is_mapped)


moved = every(20)


waiting = []


@sabotage(TSU, "submit")
def programs_on_their_way_swap_their_data(original, self, transaction):
    """Every second one has its own and keeps it for the next."""
    if is_of_host(self, transaction):
        if waiting:
            self.transactions.data[transaction] = waiting.pop()
        else:
            waiting.append(self.transactions.data[transaction])
    original(self, transaction)


@sabotage("ftl.reclaim.moves:PageMoves", "place", "moved")
def collector_loses_every_twentieth_page(original, self, page, plane, kind):
    if moved():
        self.transactions.data[page] = None
    original(self, page, plane, kind)


@sabotage(TSU, "submit", "copied")
def copybacks_take_the_page_beside(original, self, transaction):
    if self.transactions.op[transaction] == COPYBACK:
        self.transactions.before[transaction] ^= 1
    original(self, transaction)


seventh = every(7)


@sabotage("ftl.fast.merges:Merge", "page_to_move", "fast")
def merges_pass_over_a_page(original, self, offset):
    ppa = original(self, offset)
    if ppa >= 0 and seventh():
        self.blocks.invalidate(ppa)
        return -1
    return ppa


@sabotage("flash.data:PageData", "parity", "parity", "lost")
def parity_leaves_a_page_out(original, self, images):
    return original(self, images[1:])


@sabotage("states.power_loss", "Rebuild", "collected", "any")
def recovery_takes_the_oldest_copy(original, blocks, table, versions, *others):
    turned = versions.copy()
    turned[versions > 0] = versions.max() + 1 - versions[versions > 0]
    return original(blocks, table, turned, *others)


@sabotage(PAGES, "put_back", "kept", "capacitor")
def capacitor_keeps_nothing(original, self, entries):
    pass
