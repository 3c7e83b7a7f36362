"""Any course of requests, idle times and losses of power, on any stack, against what that promises.

Power fails at any event, again and again, and in the middle of reboots. What is promised, and to whom, is in
`support.promises`; a failure ends in a script of the steps that it takes (`support.course`). The simulator has no
faults of the flash but those of a loss of power, and so neither has this.
"""

import os
import subprocess
import sys
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from random import Random
from zlib import crc32

import pytest
from hypothesis import Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from ssdsim import preset
from ssdsim._core.codes import PROGRAM
from ssdsim.flash.views import dies_of
from support.combinations import changed
from support.course import Drawn, kind_of, script, shortened
from support.device_parts import partial_write_turns
from support.host import Host
from support.reboots import LOST
from support.sabotage import SABOTAGES, Bench
from support.thinned import EVERY_CASE
from support.tiny_stacks import ALL_STACKS, sized, stack

FOUR = ["page_ftl", "parity_ftl", "rtf_ftl", "flex_ftl"]
SLC = {"hardware.bits_per_cell": 1, "hardware.program_us": [100.0]}
MLC = {"hardware.bits_per_cell": 2, "hardware.bits_used": None, "hardware.program_us": [100.0, 400.0]}
TLC = {"hardware.bits_per_cell": 3, "hardware.program_us": [100.0, 200.0, 400.0]}
COPIES = {"ftl.backup": "page_copy"}
TWINS = {"ftl.unit": "twin"}
SUPER_PAGES = {"ftl.unit": "super_page"}
DIE = {"ftl.unit": "die", "buffer.replacement": "epo", "ftl.gc.background_threshold": None}
DIE_PLUS = {**DIE, "ftl.gc.combine_writes": True, "ftl.gc.holds_writes": True}
FEW_COPIES = {"ftl.backup_pages": "fast", "ftl.backup_moved": False}
ACROSS = {"ftl.backup_place": "next_channel"}
STACKS = {
    **{name: (name, MLC) for name in FOUR},
    **{f"{name} on TLC": (name, {**TLC, "hardware.bits_used": None}) for name in ("page_ftl", "flex_ftl")},
    **{f"{name} with copies": (name, {**MLC, **COPIES}) for name in ("baseline", "pa_ssd", "flex_ftl")},
    **{f"{name} on SLC": (name, SLC) for name in ("spd", "spd_plus", "superpage", "tbm")},
    **{name: (name, TLC) for name in ALL_STACKS if name not in FOUR},
    "fast on rows": ("fast", {**TLC, **TWINS}),
    "fast on super pages": ("fast", {**SLC, **SUPER_PAGES}),
    "flex_ftl on twins": ("flex_ftl", {**MLC, **TWINS}),
    "flex_ftl in die writes": ("flex_ftl", {**MLC, **DIE}),
    "flex_ftl in SPD+'s die writes": ("flex_ftl", {**MLC, **DIE_PLUS}),
    "parity_ftl on twins": ("parity_ftl", {**MLC, **TWINS}),
    "rtf_ftl on super pages": ("rtf_ftl", {**MLC, **SUPER_PAGES}),
    "baseline with few copies": ("baseline", {**MLC, **COPIES, "ftl.backup_moved": False}),
    "rtf_ftl with few copies": ("rtf_ftl", {**MLC, **FEW_COPIES}),
    **{f"{name} across channels": (name, {**MLC, **ACROSS}) for name in FOUR[1:]},
    "rtf_ftl on twins across channels": ("rtf_ftl", {**MLC, **TWINS, **ACROSS, **FEW_COPIES}),
}
"""By name: the stack, and other values of keys for its cells."""

ON_ROWS = {
    *(
        "spd",
        "spd_plus",
        "superpage",
        "tbm",
        "twinblk",
        "spd on SLC",
        "spd_plus on SLC",
        "superpage on SLC",
        "tbm on SLC",
    ),
    *(name for name, (_, changes) in STACKS.items() if "ftl.unit" in changes),
}
USUAL = {
    *(ALL_STACKS if not EVERY_CASE else STACKS),
    *("flex_ftl on TLC", "baseline with copies", "spd on SLC", "fast on rows", "flex_ftl in die writes"),
    *("rtf_ftl with few copies", "parity_ftl across channels"),
}
"""Those of them that a usual run of the tests takes; `-m more` takes the others."""
any_of = st.sampled_from
OPS = any_of([(1, 0, 0, 0), (0.8, 0.1, 0.05, 0.05), (0.5, 0.3, 0.15, 0.05)])
EVENTS = st.integers(0, 12) | st.integers(0, 300)
LPAS, SEEDS = st.integers(0, 10**6), st.integers(0, 2**32)
FAILURES = st.just([]) | st.lists(st.integers(0, 5), max_size=2)


def device(name, wordlines, slack=0, pages_buffered=16, spare_blocks=2, changes=None):
    """Return a tiny device with the stack called `name`, as full as is allowed but for `slack` pages a plane.

    `changes` are other values by key.
    """
    base, cells = STACKS[name]
    config = changed(stack(base), cells)
    types = config.hardware.page_types
    # active blocks, one with data, some to spare, and two for backups
    least = config.ftl.return_to_fast_blocks + 6 if base == "rtf_ftl" else 6 + 3 * types
    config = changed(config, changes or {})
    sizes = {
        "hardware.pages_per_block": wordlines * config.hardware.bits_per_cell,
        "hardware.blocks_per_plane": least + spare_blocks,
        "buffer.footprint_share": None,
        "buffer.size_mib": pages_buffered * config.hardware.page_kib / 1024,
    }
    config = sized(changed(config, sizes), slack)
    sizes["hardware.over_provisioning"] = config.hardware.over_provisioning
    return Drawn(config, base, {**cells, **(changes or {}), **sizes})


@st.composite
def devices(draw, name):
    """Draw a device with the stack called `name`."""
    base, cells = STACKS[name]
    changes = {
        "hardware.planes_per_die": draw(any_of([2, 2, 3, 4] if name in ON_ROWS else [1, 1, 2])),
        "hardware.channels": draw(any_of([2, 3] if name.endswith("across channels") else [1, 2])),
        "hardware.chips_per_channel": draw(any_of([1, 1, 2])),
        "hardware.page_kib": draw(any_of([4.0, 4.0, 1.0, 2.0])),
        "buffer.slot_free_when": draw(any_of(["programmed", "evicted"])),
        "buffer.write_through": draw(any_of([False, False, True])),
        "ftl.partial_write": draw(any_of(["pad", "read_modify_write"])),
        "ftl.gc.moves_in_flight": draw(any_of([1, 2, 16])),
        "flash.write_complete": draw(any_of(["program_end", "program_end", "transfer_end"])),
        "flash.partial_write_turn": draw(any_of(partial_write_turns(changed(stack(base), cells).ftl.backup))),
        "flash.collection_holds": draw(any_of(["die", "channel"])),
        "power_loss.capacitor": draw(st.booleans()),
        "kernel": draw(any_of(["compiled"] * 4 + ["simpy"])),
    }
    if name in FOUR or name.endswith(("across channels", "few copies")):
        changes["ftl.gc.background_threshold"] = draw(any_of([None, 0.1, 0.3, 0.6]))
    if STACKS[name][0] == "dftl":
        changes["ftl.mapping.cache_kib"] = draw(any_of([0.125, 0.5, 64.0]))
    return device(
        name,
        wordlines=draw(any_of([7, 16] if name == "flex_ftl on TLC" else [2, 3, 4, 7, 12, 16])),
        slack=draw(any_of([0, 0, 1, 8, 30])),
        pages_buffered=draw(any_of([1, 2, 8, 16])),
        spare_blocks=draw(st.integers(0, 6)),
        changes=changes,
    )


class AnyCourse(RuleBasedStateMachine):
    """Takes any steps of a host; `courses` gets the device and the steps of each course that failed, and why."""

    def __init__(self, devices, modules, courses, counts):
        super().__init__()
        self.devices, self.modules, self.courses, self.counts = devices, modules, courses, counts
        self.host = None

    @initialize(data=st.data(), full=any_of([True, True, False]), hot=any_of([1.0, 1.0, 0.3]))
    def begin(self, data, full, hot):
        self.drawn = data.draw(self.devices)
        self.host = Host(self.drawn.config, self.modules)
        self.range = max(int(self.host.pages * hot), 1)
        with self.driven() as host:
            if full:
                host.fill()

    @contextmanager
    def driven(self):
        """Give the host to a rule; a failure, which is kept, leaves it in no state to go on with."""
        host, self.host = self.host, None
        before = host.cuts
        try:
            yield host
        except Exception as error:
            self.courses.append((self.drawn, host.steps, kind_of(error)))
            raise
        finally:
            self.counts["cuts"] += host.cuts - before
        self.host = host

    @rule(
        op=any_of(["write", "write", "read", "trim", "flush"]),
        lpa=LPAS,
        pages=st.integers(1, 3) | st.integers(1, 20),
        part=st.none() | st.tuples(st.integers(0, 7), st.integers(1, 12)),
    )
    def ask(self, op, lpa, pages, part):
        with self.driven() as host:
            lpa, of_page = lpa % self.range, host.promises.sectors
            first, sectors = part or (0, pages * of_page)
            first %= of_page
            sectors = min(sectors, (host.pages - lpa) * of_page - first)
            given = {"lpa": lpa, "sectors": sectors} | ({"first": first} if first else {})
            getattr(host, op)(**(given if op != "flush" else {}))

    @rule(number=SEEDS, ops=OPS)
    def send(self, number, ops):
        with self.driven() as host:
            host.send_any(Random(number), ops, self.range)

    @rule(outstanding=any_of([0, 0, 1, 4]), events=EVENTS, us=any_of([0, 0, 1, 300, 20_000]))
    def pass_time(self, outstanding, events, us):
        with self.driven() as host:
            host.wait(outstanding=outstanding)
            if us:
                host.idle(us=us)
            else:
                host.run(events=events)

    @rule(events=EVENTS, again=FAILURES)
    def cut_power(self, events, again):
        with self.driven() as host:
            host.run(events=events)
            host.cut_power(again=again)

    @rule(number=SEEDS, cycles=st.integers(1, 6), ops=OPS)
    def cut_power_again_and_again(self, number, cycles, ops):
        random = Random(number)
        with self.driven() as host:
            for _ in range(cycles):
                host.send_any(random, ops, self.range)
                host.run(events=random.choice([0, 1, 2, 3, 5, 8, 20, 50, 200]))
                host.cut_power(again=[random.randrange(4) for _ in range(random.choice([0, 0, 0, 1, 2]))])

    @rule()
    def read_all(self):
        with self.driven() as host:
            host.read_all()

    def teardown(self):
        if self.host is not None:
            with self.driven() as host:
                host.end()
                host.cut_power()
                host.end()
            self.counts["courses"] += 1
            self.counts["restored"] += host.restored


def run(devices, examples, modules=sys.modules, start=None, shortens=True):
    """Run the machine, and return how much it did; a failure has a script of what it takes as its note.

    Examples are drawn from the seed `start`, if there is one.
    """
    courses, counts = [], Counter()

    def machine():
        return AnyCourse(devices, modules, courses, counts)

    if start is not None:
        machine = seed(start)(machine)
    wanted = settings(
        settings.default,
        max_examples=max(examples, 1),
        stateful_step_count=12,
        phases=[Phase.generate],  # `shortened` does in seconds, and better, what else takes minutes
        database=None,
        report_multiple_bugs=False,
    )
    try:
        run_state_machine_as_test(machine, settings=wanted)
    except Exception as error:
        if courses and shortens:
            drawn, steps, kind = courses[-1]
            error.add_note(script(drawn, shortened(drawn.config, steps, kind, modules)))
        raise
    return counts


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in USUAL else pytest.mark.more) for name in STACKS]
)
def test_what_is_promised_holds_in_any_course(name, record_property):
    examples = settings.default.max_examples // (12 if name in FOUR else 25)
    counts = run(devices(name), examples, start=crc32(name.encode()) if settings.default.derandomize else None)
    for what, count in counts.items():
        record_property(what, count)
    print(f"{name}: {dict(counts)}")
    assert counts["cuts"] >= examples


SMALL = {"hardware.channels": 2, "hardware.chips_per_channel": 1}
EXAMPLES = 20
"""In which a breakage has to be found."""


@pytest.mark.parametrize("name", ["baseline", "dftl", "flex_ftl", "flex_ftl in SPD+'s die writes", "slc_mode"])
def test_a_script_describes_the_device_that_was_drawn(name):
    drawn = device(name, 4, slack=1, pages_buffered=3, changes={**SMALL, "kernel": "simpy"})
    assert preset(drawn.stack, *drawn.overrides()) == drawn.config


def open_gate(backups, transactions, number):
    """Let all pages of the block of a program be programmed, backed up or not."""
    for page_type in range(backups.policy.last_type):
        backups.blocks.back_up(transactions.block[number], page_type, backups.policy.order.wordlines)


def without_backups(patch, modules):
    policies = modules["ssdsim.ftl.backup"]
    for policy in (policies.BlockParity, policies.PairParity, policies.PageCopy):
        patch.setattr(policy, "wanted", lambda self, page_type, wordline: ())
    patch.setattr(policies.Backups, "queued", open_gate)


def without_the_gate(patch, modules):
    base = modules["ssdsim.ftl.backup"].Backups
    queued = base.queued

    def queued_at_once(backups, transactions, number):
        queued(backups, transactions, number)
        open_gate(backups, transactions, number)

    patch.setattr(base, "queued", queued_at_once)


def without_recovery(patch, modules):
    patch.setattr(modules["ssdsim.ftl.backup.recovery"], "restore", lambda backup, lost: ([], []))


def without_the_erase_barrier(patch, modules):
    writes = modules["ssdsim.ftl.writes"].PageWrites
    place = writes.place

    def place_at_once(self, transaction, plane):
        place(self, transaction, plane)
        before = self.transactions.before
        if before[transaction] >= 0:
            self.blocks.remove_reader(self.blocks.block_of(before[transaction]))
            before[transaction] = -1

    patch.setattr(writes, "place", place_at_once)


BREAKAGES = [
    ("parity_ftl", without_backups, 2),
    ("rtf_ftl", without_the_gate, 0),
    ("flex_ftl", without_recovery, 2),
    ("baseline", without_the_erase_barrier, 1),
    *(
        pytest.param(*each, marks=pytest.mark.more)
        for each in [
            ("parity_ftl", without_the_gate, 9),
            ("parity_ftl", without_recovery, 2),
            ("rtf_ftl", without_backups, 4),
            ("rtf_ftl", without_recovery, 1),
            ("flex_ftl", without_backups, 0),
            ("flex_ftl", without_the_gate, 4),
            ("flex_ftl", without_the_erase_barrier, 8),
        ]
    ),
]
"""What is broken, on which stack, and a seed with which that took few examples when it was tried."""


@pytest.mark.parametrize(("name", "change", "start"), BREAKAGES)
def test_the_machine_notices(name, change, start, interpreted, monkeypatch):
    change(monkeypatch, interpreted)
    with pytest.raises(AssertionError, match="lost: "):
        run_on(device(name, 2, changes=SMALL), interpreted, start)


def run_on(made, interpreted, start):
    """Run courses on one device, with one seed after another: hypothesis draws others when any source has changed."""
    for number in range(start, start + 8):
        run(st.just(made), EXAMPLES, interpreted, number, shortens=False)


SABOTAGED = [
    ("pcftl", "buffer_loses_an_update", 1),
    ("spd", "capacitor_keeps_nothing", 0),
    ("baseline", "flushes_do_not_wait_for_the_last_page", 2),
    ("dftl", "dirty_entries_are_dropped", 0),
    ("fast", "merges_pass_over_a_page", 1),
    ("parity_ftl", "recovery_restores_to_the_next_page", 0),
]


@pytest.mark.parametrize(("name", "sabotage", "start"), SABOTAGED)
def test_the_machine_notices_sabotage(name, sabotage, start, interpreted, monkeypatch):
    SABOTAGES[sabotage].apply(Bench(interpreted, monkeypatch))
    changes = {**SMALL, "hardware.planes_per_die": 2, "power_loss.capacitor": True, "ftl.mapping.cache_kib": 0.125}
    with pytest.raises((AssertionError, interpreted["ssdsim.errors"].SimulationError)):
        run_on(device(name, 2, changes=changes), interpreted, start)


RUN = """
import runpy, sys
import pytest
import ssdsim.run.simulation
from support.sabotage import SABOTAGES, Bench
for each in sys.argv[2:]:
    SABOTAGES[each].apply(Bench(sys.modules, pytest.MonkeyPatch()))
runpy.run_path(sys.argv[1])
"""


def test_a_failure_ends_in_a_script_that_fails_alike(interpreted, monkeypatch, tmp_path):
    """With nothing sabotaged, it does not; and it is short."""
    SABOTAGES["trims_hit_the_next_page"].apply(Bench(interpreted, monkeypatch))
    with pytest.raises(AssertionError) as raised:
        run(st.just(device("baseline", 2, changes=SMALL)), EXAMPLES, interpreted, start=2)
    file = tmp_path / "course.py"
    file.write_text(raised.value.__notes__[-1])
    assert sum(line.startswith("host.") for line in file.read_text().splitlines()) <= 5
    here = Path(__file__).parent
    environment = {**os.environ, "SSDSIM_INTERPRETED": "1", "PYTHONPATH": f"{here}{os.pathsep}{here.parent}"}

    def told(*sabotages):
        command = [sys.executable, "-c", RUN, str(file), *sabotages]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False).stderr

    assert told() == ""
    kind, _, message = told("trims_hit_the_next_page").splitlines()[-1].partition(": ")
    assert kind_of(AssertionError(message)) == kind_of(raised.value) and kind == "AssertionError"


@pytest.mark.parametrize(
    ("name", "number"),
    [("parity_ftl", 22), ("parity_ftl", 649), ("baseline with copies", 114), ("baseline with few copies", 667)],
)
def test_cuts_in_a_row_do_not_spend_the_reserve(name, number):
    """Each costs a torn page and one that is restored, for which collection makes room first where only that is left.

    It has spent the reserve in one way or another with each seed: the victim policy chose a block that was all valid,
    nothing was collected, or there was room, but for the host's data alone (the last two).
    """
    random = Random(number)
    drawn = device(
        name,
        random.choice([2, 4, 7]),
        pages_buffered=8,
        spare_blocks=0,
        changes={
            "ftl.gc.victim": "fifo",
            "ftl.gc.moves_in_flight": random.choice([1, 16]),
            "flash.write_complete": "transfer_end",
            "hardware.channels": 1,
            "hardware.chips_per_channel": 1,
        },
    )
    host = Host(drawn.config)
    host.fill()
    for _ in range(14):
        host.send_any(random, (1, 0, 0, 0), host.pages)
        host.run(events=random.randrange(1, 60))
        for _ in range(random.choice([1, 7])):
            host.run(events=random.randrange(1, 25))
            host.cut_power()
            blocks = host.device.blocks
            assert all(blocks.free_blocks(unit) for unit in range(blocks.units))


@pytest.mark.parametrize(
    ("name", "number"), [("flex_ftl", 0), ("flex_ftl", 1), ("parity_ftl", 14), ("parity_ftl across channels", 7)]
)
def test_power_may_fail_as_what_was_restored_is_written_again(name, number):
    """What it was restored from is kept so long, and used along with what has been backed up since."""
    random = Random(number)
    host = Host(device(name, random.choice([2, 4, 7]), pages_buffered=8, changes=SMALL).config)
    host.fill()
    for _ in range(20):
        host.send_any(random, (1, 0, 0, 0), host.pages)
        host.run(events=random.randrange(50))
        host.cut_power(again=[random.randrange(4) for _ in range(random.choice([1, 2]))])
    host.end()


def is_slow(host, transaction):
    """Return whether a page that shares its wordline with a faster one is being programmed."""
    if transaction is None or transaction.op != PROGRAM or transaction.array_start_ns < 0:
        return False
    return host.device.order.type_of(transaction.page) > 0


def test_the_losses_of_a_reboot_that_completes_stay_counted():
    """One without backups has no program in which power could fail again: it fails behind it.

    Pages are written in order, and power is cut as that of a slow page is under way, with a fast one on its wordline.
    """
    reports = []
    for again in ([], [0], [0, 0]):
        host = Host(device("baseline", 4, changes=MLC | {"hardware.channels": 1}).config)
        host.write(lpa=0, sectors=host.pages * host.promises.sectors)
        while not any(is_slow(host, die.transaction) for die in dies_of(host.device.dies)):
            host.happens()
        reports.append(host.lose_power(again))
    assert reports[0]["lost_in_flash"] > 0
    assert all(report[name] == reports[0][name] for name in LOST for report in reports)


FULLEST = {
    "hardware.channels": 1,
    "hardware.chips_per_channel": 1,
    "hardware.planes_per_die": 1,
    "hardware.page_kib": 1.0,
    "buffer.slot_free_when": "evicted",
    "power_loss.capacitor": True,
    "ftl.partial_write": "read_modify_write",
    "ftl.gc.moves_in_flight": 2,
    "ftl.gc.background_threshold": 0.1,
}


@pytest.mark.parametrize("number", [136, 280, 336, 376, 398, 1240])
def test_collection_as_a_device_boots_leaves_what_is_restored_from(number):
    """Of the smallest blocks there are, with both backup blocks full: each seed has lost a page in one way or another.

    The block where a page had been lost was collected, or so many were that a slow page was programmed before its
    parity, which found no page as long as both backup blocks were kept, or one of these was erased too early.
    """
    random = Random(number)
    host = Host(device("flex_ftl", 2, spare_blocks=1, changes=FULLEST).config)
    for _ in range(12):
        host.send_any(random, (1, 0, 0, 0), host.pages)
        host.run(events=random.choice([0, 1, 2, 3, 5, 8, 20, 50, 200]))
        host.cut_power(again=[random.randrange(4) for _ in range(random.choice([0, 0, 1, 2]))])
    host.end()
