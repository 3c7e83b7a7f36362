"""Any course of requests, idle times and losses of power, on each supported system, against what that promises.

Power fails at any event, again and again. What is promised, and to whom, is in
`support.promises`. The simulator has no faults of the flash but those of a loss of power, and so neither has this.
"""

import sys
from contextlib import contextmanager
from random import Random
from zlib import crc32

import pytest
from hypothesis import Phase, note, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from ssdsim.command.compose import session
from ssdsim.ftl.mapping import dftl
from support.host import Host
from support.mixes import MIXES, changed
from support.tiny_stacks import sized, stack

any_of = st.sampled_from
OPS = any_of([(1, 0, 0, 0), (0.8, 0.1, 0.05, 0.05), (0.5, 0.3, 0.15, 0.05)])
EVENTS = st.integers(0, 12) | st.integers(0, 300)
LPAS, SEEDS = st.integers(0, 10**6), st.integers(0, 2**32)
ENTRY_BYTES = 4096 // 8
"""Of DFTL's table: eight entries a page, so that a small device has many such pages."""


def device(name, wordlines, slack=0, pages_buffered=16, spare_blocks=2, changes=None):
    """Return a tiny device with the system called `name`, as full as is allowed but for `slack` pages a plane.

    `changes` are other values by key.
    """
    base, own = MIXES[name]
    config = changed(stack(base), {**own, **(changes or {})})
    types = config.hardware.page_types
    # active blocks, one with data, some to spare, and two for backups
    least = config.ftl.return_to_fast_blocks + 6 if base == "rtf_ftl" else 6 + 3 * types
    sizes = {
        "hardware.pages_per_block": wordlines * config.hardware.bits_per_cell,
        "hardware.blocks_per_plane": least + spare_blocks,
        "buffer.footprint_share": None,
        "buffer.size_mib": pages_buffered * config.hardware.page_kib / 1024,
    }
    if config.ftl.mapping.scheme == "fast":
        sizes["power_loss.at_s"] = None  # which does not go with it
    return sized(changed(config, sizes), slack)


@st.composite
def devices(draw, name):
    """Draw a device with the system called `name`."""
    base, own = MIXES[name]
    config = changed(stack(base), own)
    by_rows = config.ftl.unit not in ("block", "superblock")
    # pages that are backed up beforehand have the rest of their data read before
    turns = ["after_read", "on_arrival"] if config.ftl.backup in ("none", "block_parity") else ["after_read"]
    changes = {
        "hardware.planes_per_die": draw(any_of([2, 2, 3, 4] if by_rows else [1, 1, 2])),
        "hardware.channels": draw(any_of([2, 3] if "channels" in name else [1, 2])),
        "hardware.chips_per_channel": draw(any_of([1, 1, 2])),
        "hardware.page_kib": draw(any_of([4.0, 4.0, 1.0, 2.0])),
        "buffer.slot_free_when": draw(any_of(["programmed", "evicted"])),
        "buffer.write_through": draw(any_of([False, False, True])),
        "ftl.partial_write": draw(any_of(["pad", "read_modify_write"])),
        "ftl.gc.moves_in_flight": draw(any_of([1, 2, 16])),
        "flash.write_complete": draw(any_of(["program_end", "program_end", "transfer_end"])),
        "flash.partial_write_turn": draw(any_of(turns)),
        "flash.collection_holds": draw(any_of(["die", "channel"] if name != "modern" else ["die"])),
        "power_loss.capacitor": draw(st.booleans()),
        "kernel": draw(any_of(["compiled"] * 4 + ["simpy"])),
    }
    if config.ftl.mapping.scheme == "dftl":
        changes["ftl.mapping.cache_kib"] = draw(any_of([1 / 128, 0.125, 0.5, 64.0]))
    if config.ftl.mapping.scheme == "fast":
        changes["ftl.mapping.log_blocks"] = draw(any_of([None, None, 1, 2]))
    return device(
        name,
        wordlines=draw(any_of([7, 16] if name == "flexFTL on TLC" else [2, 3, 4, 7, 12, 16])),
        slack=draw(any_of([0, 0, 1, 8, 30])),
        pages_buffered=draw(any_of([1, 2, 8, 16])),
        spare_blocks=draw(st.integers(0, 6)),
        changes=changes,
    )


class AnyCourse(RuleBasedStateMachine):
    """Takes any steps of a host."""

    def __init__(self, devices, modules):
        super().__init__()
        self.devices, self.modules, self.host = devices, modules, None

    @initialize(data=st.data(), full=any_of([True, True, False]), hot=any_of([1.0, 1.0, 0.3]))
    def begin(self, data, full, hot):
        config = data.draw(self.devices)
        note(repr(config))
        self.host = Host(config, self.modules)
        self.range = max(int(self.host.pages * hot), 1)
        if full:
            with self.driven() as host:
                host.fill()

    @contextmanager
    def driven(self):
        """Give the host to a rule; a failure leaves it in no state to go on with."""
        host, self.host = self.host, None
        yield host
        host.check()
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
            getattr(host, op)(**({"lpa": lpa, "sectors": sectors, "first": first} if op != "flush" else {}))

    @rule(number=SEEDS, ops=OPS)
    def send(self, number, ops):
        with self.driven() as host:
            host.send_any(Random(number), ops, self.range)

    @rule(outstanding=any_of([0, 0, 1, 4]), events=EVENTS, us=any_of([0, 0, 1, 300, 20_000]))
    def pass_time(self, outstanding, events, us):
        with self.driven() as host:
            host.settle(outstanding)
            if us:
                host.idle(us)
            else:
                host.run(events)

    @rule(events=EVENTS)
    def cut_power(self, events):
        with self.driven() as host:
            host.run(events)
            host.lose_power()

    @rule(number=SEEDS, cycles=st.integers(1, 6), ops=OPS)
    def cut_power_again_and_again(self, number, cycles, ops):
        with self.driven() as host:
            cut_again_and_again(host, Random(number), cycles, ops, self.range)

    @rule()
    def read_all(self):
        with self.driven() as host:
            host.read_all()

    def teardown(self):
        if self.host is not None:
            with self.driven() as host:
                host.end()
                host.lose_power()
                host.end()


def cut_again_and_again(host, random, cycles, ops, pages):
    """Send requests for the first `pages` and cut power in the middle, so often."""
    for _ in range(cycles):
        host.send_any(random, ops, pages)
        host.run(events=random.choice([0, 1, 2, 3, 5, 8, 20, 50, 200]))
        host.lose_power()


def run(devices, examples, start, modules=sys.modules):
    """Run the machine on some devices; examples are drawn from the seed `start`."""
    wanted = settings(
        settings.default,
        max_examples=max(examples, 1),
        stateful_step_count=12,
        phases=[Phase.generate],  # to shrink takes minutes
        database=None,
        report_multiple_bugs=False,
    )
    run_state_machine_as_test(seed(start)(lambda: AnyCourse(devices, modules)), settings=wanted)


@pytest.fixture(scope="module", autouse=True)
def composing():
    with session():
        yield


@pytest.mark.parametrize("name", MIXES)
def test_what_is_promised_holds_in_any_course(name, monkeypatch):
    monkeypatch.setattr(dftl, "entry_bytes", lambda pages: ENTRY_BYTES)
    start = crc32(name.encode()) if settings.default.derandomize else Random().randrange(2**32)
    run(devices(name), settings.default.max_examples // 10, start)


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
EARLY = {"ftl.gc.victim": "fifo", "flash.write_complete": "transfer_end", "hardware.channels": 1}


@pytest.mark.parametrize("number", range(2))
@pytest.mark.parametrize(
    ("name", "changes"),
    [("flex_ftl", FULLEST), ("parity_ftl", FULLEST), ("parity_ftl", EARLY), ("page copies", EARLY)],
)
def test_cuts_in_a_row_spend_no_reserve_and_lose_nothing_that_is_restored_from(name, changes, number):
    """Each costs a torn page and one that is restored, of the smallest blocks there are, with full backup blocks."""
    random = Random(number)
    host = Host(device(name, 2, pages_buffered=8, spare_blocks=1, changes=changes))
    host.fill()
    for _ in range(14):
        cut_again_and_again(host, random, 1, (1, 0, 0, 0), host.pages)
        blocks = host.device.blocks
        assert all(blocks.free_blocks(unit) for unit in range(blocks.units))
    host.end()
