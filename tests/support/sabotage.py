"""Ways to lose, double, swap, age, hurry or misdirect a page, at each hand-over on its way: patches of the source.

A sabotage is told of the modules (interpreted ones: compiled classes cannot be patched) and of how to wrap a method:
the wrapper is given the method that it takes the place of, and then what that is given. `needs` says which stacks have
the part, `power` that power is lost in the run.
"""

from collections.abc import Callable

import attrs

from support.cells import cells_in_use

SABOTAGES = {}


@attrs.frozen
class Sabotage:
    """What is done, in which stacks there is such a part, and in what kind of run it shows."""

    apply: Callable
    needs: Callable
    power: str


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


def every(number):
    """Return a function that is true every so many times."""
    calls = [0]

    def strikes():
        calls[0] += 1
        return calls[0] % number == 0

    return strikes


def anywhere(config):
    return True


def buffered(config):
    return config.buffer.replacement != "none"


def unbuffered(config):
    return not buffered(config)


def merged(config):
    return config.ftl.mapping.scheme == "fast"


def collected(config):
    return not merged(config)


def backed_up(config):
    return config.ftl.backup != "none"


def sabotage(place, method, needs=anywhere, power="none"):
    """Enter the wrapper of a method among the sabotages, by its name."""

    def enter(wrapper):
        SABOTAGES[wrapper.__name__] = Sabotage(lambda bench: bench.wrap(place, method, wrapper), needs, power)
        return wrapper

    return enter


BUFFER, PAGES = "buffer.write_buffer:WriteBuffer", "buffer.pages:BufferedPages"
CONTROLLER, TSU = "flash.controller:FlashController", "flash.scheduler.unit:TransactionSchedulingUnit"
READS, WRITES = "ftl.reads:ReadPath", "ftl.writes:WritePath"
FLUSH, PROGRAM, COPYBACK, HOST = 3, 1, 3, 0


def is_of_host(stage, transaction):
    """Return whether a transaction programs a page with the host's data."""
    columns = stage.transactions
    return columns.op[transaction] == PROGRAM and columns.source[transaction] == HOST


@sabotage(PAGES, "update", buffered)
def buffer_loses_an_update(original, self, request, lpa, touched):
    data, request.data = request.data, None
    updated = original(self, request, lpa, touched)
    request.data = data
    return updated


@sabotage(PAGES, "forget", buffered)
def buffer_keeps_what_is_trimmed(original, self, request):
    pass


@sabotage(BUFFER, "pass_on", buffered)
def buffer_passes_a_flush_on_at_once(original, self, request):
    if request.op == FLUSH:
        self.layer.submit(request)
    else:
        original(self, request)


class Shifted:
    """A mapping that says where the next page is."""

    def __init__(self, mapping):
        self.mapping = mapping

    def lookup(self, lpa):
        return self.mapping.lookup(lpa + 1 if lpa + 1 < self.mapping.logical_pages else 0)

    def __getattr__(self, name):
        return getattr(self.mapping, name)


@sabotage(READS, "read_mapped")
def reads_return_the_next_page(original, self, *given):
    mapping = self.mapping
    self.mapping = Shifted(mapping)
    original(self, *given)
    self.mapping = mapping


@sabotage(READS, "read_mapped", unbuffered)
def reads_do_not_wait_for_the_program(original, self, *given):
    self.sources.reads_unprogrammed = True
    original(self, *given)


@sabotage(CONTROLLER, "begin_array", unbuffered)
def writes_are_complete_before_they_are_programmed(original, self, transaction):
    self.write_done_after_transfer = True
    return original(self, transaction)


@sabotage(WRITES, "wants_rest")
def partial_writes_do_not_read_the_rest(original, self, transaction):
    return False


@sabotage(WRITES, "write", unbuffered)
def writes_in_line_are_done_newest_first(original, self, request, lpa, size, group):
    line = self.unplaced.get(lpa)
    original(self, request, lpa, size, group)
    if line is not None:
        line.rotate(1)


@sabotage(WRITES, "unmap")
def trims_hit_the_next_page(original, self, lpa, version):
    original(self, (lpa + 1) % self.mapping.logical_pages, version)


@sabotage("ftl.admission:Admission", "flush", lambda config: config.ftl.unit != "super_page")
def flushes_do_not_wait_for_the_last_page(original, self, request):
    original(self, request)
    if request.remaining > 1:
        request.remaining -= 1


lost, moved = every(20), every(20)


@sabotage(CONTROLLER, "array_done")
def programs_lose_their_data(original, self, transaction):
    if is_of_host(self, transaction) and lost():
        self.transactions.data[transaction] = None
    original(self, transaction)


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


@sabotage(
    "ftl.reclaim.moves:PageMoves",
    "place",
    lambda config: collected(config) and config.ftl.moves != "copyback",
)
def collector_loses_every_twentieth_page(original, self, collection, page, plane, kind):
    if moved():
        self.transactions.data[page] = None
    original(self, collection, page, plane, kind)


@sabotage(TSU, "submit", lambda config: config.ftl.moves == "copyback")
def copybacks_take_the_page_beside(original, self, transaction):
    if self.transactions.op[transaction] == COPYBACK:
        self.transactions.before[transaction] ^= 1
    original(self, transaction)


seventh = every(7)


@sabotage("ftl.fast.merges:Merger", "page_to_move", merged)
def merges_pass_over_a_page(original, self, merge, offset):
    ppa = original(self, merge, offset)
    if ppa >= 0 and seventh():
        self.blocks.invalidate(ppa)
        return -1
    return ppa


@sabotage("ftl.mapping.dftl:TranslationPages", "evict", lambda config: config.ftl.mapping.scheme == "dftl")
def dirty_entries_are_dropped(original, self):
    lpa = self.cache.victim()
    if lpa < 0:
        return False
    self.cache.remove(lpa)
    return True


@sabotage("ftl.backup.backups:Backups", "data_of", lambda c: c.ftl.backup in ("block_parity", "pair_parity"), "lost")
def parity_leaves_a_page_out(original, self, backup):
    held = backup.without
    backup.without = held | {self.covered(backup)[-1]}
    data = original(self, backup)
    backup.without = held
    return data


@sabotage("states.power_loss:Recovery", "_write_again", backed_up, "lost")
def recovery_restores_to_the_next_page(original, self, lpa, version, image):
    return original(self, (lpa + 1) % self.hardware.logical_pages, 1 << 40, image)


@sabotage("states.power_loss", "Rebuild", collected, "any")
def recovery_takes_the_oldest_copy(original, blocks, table, versions, *others):
    turned = versions.copy()
    turned[versions > 0] = versions.max() + 1 - versions[versions > 0]
    return original(blocks, table, turned, *others)


@sabotage(PAGES, "put_back", lambda config: collected(config) and buffered(config), "capacitor")
def capacitor_keeps_nothing(original, self, entries):
    pass


@sabotage("run.replay", "cut_power", collected, "any")
def power_takes_every_fifth_page(original, device, at_ns):
    remains = original(device, at_ns)
    for ppa in list(cells_in_use(remains.contents.data))[::5]:
        remains.contents.data.wipe(ppa)
    return remains
