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

    def module(self, name):
        return self.modules[f"ssdsim.{name}"]

    def wrap(self, place, method, wrapper):
        """Have `wrapper(original, self, ...)` take the place of a method, named as module:Class, or of a function."""
        module, _, owner = place.partition(":")
        held = getattr(self.module(module), owner) if owner else self.module(module)
        original = getattr(held, method)
        self.monkeypatch.setattr(held, method, lambda *args: wrapper(original, *args))

    def every(self, number):
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


def collected(config):
    return config.ftl.mapping.scheme != "fast"


def moved_by_page(config):
    return collected(config) and not by_super_pages(config)


def merged(config):
    return config.ftl.mapping.scheme == "fast"


def copied_back(config):
    return config.ftl.moves == "copyback"


def cached(config):
    return config.ftl.mapping.scheme == "dftl"


def backed_up(config):
    return config.ftl.backup != "none"


def by_parity(config):
    return config.ftl.backup in ("block_parity", "pair_parity")


def cut(config):
    return not merged(config)


def by_super_pages(config):
    return config.ftl.unit == "super_page"


def sabotage(needs=anywhere, power="none"):
    """Enter a function among the sabotages, by name."""

    def enter(function):
        SABOTAGES[function.__name__] = Sabotage(function, needs, power)
        return function

    return enter


BUFFER = "buffer.write_buffer:WriteBuffer"
PAGES = "buffer.pages:BufferedPages"
EVICTIONS = "buffer.evictions:Evictions"
ORDER = "ftl.layer:WriteOrder"
READS = "ftl.reads:ReadPath"
WRITES = "ftl.writes:PageWrites"
PORT = "ftl.reclaim.port:MovePort"
CONTROLLER = "flash.controller:FlashController"
TSU = "flash.scheduler.unit:TransactionSchedulingUnit"
TRANSLATION = "ftl.mapping.translation:TranslationPages"
MERGES = "ftl.fast.merges:Merger"
COVERAGE = "ftl.backup.needed:Coverage"
READ, WRITE, TRIM, FLUSH = range(4)
PROGRAM, COPYBACK = 1, 3
HOST, GC, BACKUP_SOURCE = 0, 1, 3

# The write buffer.


@sabotage(buffered)
def buffer_discards_every_dirty_page(bench):
    def evict(original, self, force, payer=None):
        entries = self.pages.replacement.victims(self.row, force)
        for entry in entries:
            self.pages.used -= 1
            del self.pages.entries[entry.lpa]
        if entries:
            self.env.timeout(1).callbacks.append(lambda event: self.requests.owner.advance())
        return bool(entries)

    bench.wrap(EVICTIONS, "evict", evict)


@sabotage(buffered)
def buffer_loses_an_update(bench):
    def update(original, self, request, lpa, touched):
        data, request.data = request.data, None
        updated = original(self, request, lpa, touched)
        request.data = data
        return updated

    bench.wrap(PAGES, "update", update)


@sabotage(buffered)
def buffer_keeps_what_is_trimmed(bench):
    bench.wrap(PAGES, "forget", lambda original, self, request: None)


@sabotage(buffered)
def buffer_passes_a_flush_on_at_once(bench):
    def pass_on(original, self, request):
        if request.op == FLUSH:
            self.layer.submit(request)
        else:
            original(self, request)

    bench.wrap(BUFFER, "pass_on", pass_on)


# The translation layer.


@sabotage()
def reads_return_the_next_page(bench):
    def read_mapped(original, self, *given):
        mapping = self.mapping
        self.mapping = Shifted(mapping)
        original(self, *given)
        self.mapping = mapping

    bench.wrap(READS, "read_mapped", read_mapped)


class Shifted:
    """A mapping that says where the next page is."""

    def __init__(self, mapping):
        self.mapping = mapping

    def lookup(self, lpa):
        return self.mapping.lookup(lpa + 1 if lpa + 1 < self.mapping.logical_pages else 0)

    def __getattr__(self, name):
        return getattr(self.mapping, name)


@sabotage(unbuffered)
def reads_do_not_wait_for_the_program(bench):
    def read_mapped(original, self, *given):
        self.sources.reads_unprogrammed = True
        original(self, *given)

    bench.wrap(READS, "read_mapped", read_mapped)


@sabotage(moved_by_page)
def writes_map_two_pages_crosswise(bench):
    last = []

    def place(original, self, transaction, plane):
        original(self, transaction, plane)
        cross(self, last, self.transactions.lpa[transaction], self.transactions.ppa[transaction])

    bench.wrap(WRITES, "place", place)


@sabotage(unbuffered)
def writes_are_complete_before_they_are_programmed(bench):
    def begin_array(original, self, transaction):
        self.write_done_after_transfer = True
        return original(self, transaction)

    bench.wrap(CONTROLLER, "begin_array", begin_array)


@sabotage()
def partial_writes_do_not_read_the_rest(bench):
    bench.wrap("ftl.partial:PartialPages", "needs_rest", lambda original, self, size, request: False)


@sabotage(unbuffered)
def writes_in_line_are_done_newest_first(bench):
    def stands_in_line(original, self, transaction):
        line = self.unplaced.get(self.transactions.lpa[transaction])
        if line is None:
            return False
        line.appendleft(transaction)
        return True

    bench.wrap(ORDER, "stands_in_line", stands_in_line)


@sabotage()
def trims_hit_the_next_page(bench):
    def unmap(original, self, lpa, version):
        original(self, (lpa + 1) % self.mapping.logical_pages, version)

    bench.wrap(WRITES, "unmap", unmap)


@sabotage(lambda config: not by_super_pages(config))
def flushes_do_not_wait_for_the_last_page(bench):
    def flush(original, self, request):
        original(self, request)
        if request.remaining > 1:
            request.remaining -= 1

    bench.wrap("ftl.admission:Admission", "flush", flush)


# Scheduler and controller.


@sabotage()
def programs_lose_their_data(bench):
    strikes = bench.every(20)

    def array_done(original, self, transaction):
        if is_program(self, transaction) and self.transactions.source[transaction] == HOST and strikes():
            self.transactions.data[transaction] = None
        original(self, transaction)

    bench.wrap(CONTROLLER, "array_done", array_done)


@sabotage()
def programs_on_their_way_swap_their_data(bench):
    waiting = []

    def submit(original, self, transaction):
        if is_program(self, transaction) and self.transactions.source[transaction] == HOST:
            swap(self.transactions, transaction, waiting)
        original(self, transaction)

    bench.wrap(TSU, "submit", submit)


def is_program(stage, transaction):
    """Return whether a transaction programs a page with data from the controller."""
    return stage.transactions.op[transaction] == PROGRAM


def swap(transactions, transaction, waiting):
    """Keep the data of every second transaction, also in its own place, for the next one."""
    if waiting:
        transactions.data[transaction] = waiting.pop()
    else:
        waiting.append(transactions.data[transaction])


# Collection and moves.


@sabotage(collected)
def collector_loses_every_twentieth_page(bench):
    strikes = bench.every(20)

    def place(original, self, collection, page, plane, kind):
        if strikes():
            self.transactions.data[page] = None
        original(self, collection, page, plane, kind)

    def submit(original, self, transaction):
        """Have some copy-backs read what was never programmed."""
        if self.transactions.op[transaction] == COPYBACK and strikes():
            self.transactions.copied_from[transaction] = -1
        original(self, transaction)

    bench.wrap(PORT, "place", place)
    bench.wrap(TSU, "submit", submit)


@sabotage(collected)
def moves_double_the_page_before(bench):
    last = {}

    def submit(original, self, transaction):
        columns, op = self.transactions, self.transactions.op[transaction]
        of_data = op == PROGRAM and columns.source[transaction] == GC and columns.lpa[transaction] >= 0
        if of_data or op == COPYBACK:
            moved = columns.data if of_data else columns.copied_from
            last[op], moved[transaction] = moved[transaction], last.get(op) or moved[transaction]
        original(self, transaction)

    bench.wrap(TSU, "submit", submit)


def cross(stage, last, lpa, ppa):
    """Have all books say that a page is where the last one is, and that where this one is, if it is still there."""
    mapping, spare = stage.mapping, stage.blocks.spare
    if ppa < 0 or lpa >= mapping.logical_pages:
        return
    if last and last[0] != lpa and mapping.lookup(last[0]) == last[1]:
        mapping.update(lpa, last[1])
        mapping.update(last[0], ppa)
        spare.set(last[1], lpa)
        spare.set(ppa, last[0])
        last.clear()
    else:
        last[:] = [lpa, ppa]


@sabotage(copied_back)
def copybacks_take_the_page_beside(bench):
    def submit(original, self, transaction):
        if self.transactions.op[transaction] == COPYBACK:
            self.transactions.copied_from[transaction] ^= 1
        original(self, transaction)

    bench.wrap(TSU, "submit", submit)


# Merges.


@sabotage(merged)
def merges_pass_over_a_page(bench):
    strikes = bench.every(7)

    def page_to_move(original, self, merge, offset):
        ppa = original(self, merge, offset)
        if ppa >= 0 and strikes():
            self.blocks.invalidate(ppa)
            return -1
        return ppa

    bench.wrap(MERGES, "page_to_move", page_to_move)


# The mapping cache.


@sabotage(cached)
def dirty_entries_are_dropped(bench):
    def evict(original, self):
        lpa = self.cache.victim()
        if lpa < 0:
            return False
        self.cache.remove(lpa)
        return True

    bench.wrap(TRANSLATION, "evict", evict)


# A loss of power.


@sabotage(by_parity, "lost")
def parity_leaves_a_page_out(bench):
    def data_of(original, self, backup):
        held = backup.without
        backup.without = held | {self.covered(backup)[-1]}
        data = original(self, backup)
        backup.without = held
        return data

    bench.wrap(COVERAGE, "data_of", data_of)


@sabotage(backed_up, "lost")
def recovery_restores_to_the_next_page(bench):
    def write_again(original, device, lpa, version, image):
        return original(device, (lpa + 1) % device.config.hardware.logical_pages, 1 << 40, image)

    bench.wrap("states.power_loss", "_write_again", write_again)


@sabotage(cut, "any")
def recovery_takes_the_oldest_copy(bench):
    def rebuild(original, blocks, table, versions, *others):
        turned = versions.copy()
        turned[versions > 0] = versions.max() + 1 - versions[versions > 0]
        return original(blocks, table, turned, *others)

    bench.wrap("states.power_loss", "rebuild", rebuild)


@sabotage(lambda config: cut(config) and buffered(config), "capacitor")
def capacitor_keeps_nothing(bench):
    bench.wrap(PAGES, "put_back", lambda original, self, entries: None)


@sabotage(cut, "any")
def power_takes_every_fifth_page(bench):
    def cut_power(original, device, at_ns):
        remains = original(device, at_ns)
        for ppa in list(cells_in_use(remains.contents.data))[::5]:
            remains.contents.data.wipe(ppa)
        return remains

    bench.wrap("run.replay", "cut_power", cut_power)
