"""Every mapping scheme against a dictionary of what was written last, with caches that hold next to nothing.

Requests of all kinds are in flight at a time, and what is checked is checked after every event or whenever all is done.
"""

import sys
from contextlib import contextmanager
from random import Random

import numpy as np
import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from ssdsim._core.codes import FLUSH, MAPPING, PROGRAM, READ, TRIM, WRITE
from ssdsim._core.kernel import EmptySchedule
from ssdsim._core.rebuild import content_word
from ssdsim._core.table import IndexTable
from ssdsim.ftl.mapping import dftl
from support.host import Host
from support.tiny_device import PAGE, merge, tiny_config
from support.tiny_stacks import sized

any_of = st.sampled_from
ALIGNED = {"unit": "twin"}
LAYOUTS = {
    "sequential": {},
    "copyback": {"gc": {"moves": "copyback"}},
    "parallel": {"gc": {"moves": "parallel"}},
    "aligned": ALIGNED,
    "super_page": ALIGNED | {"unit": "super_page"},
    "die": ALIGNED | {"unit": "die"},
    "die_combined": merge(ALIGNED, {"unit": "die", "gc": {"combine_writes": True}}),
}
MACHINES = [
    ("page", "copyback"),
    *(("dftl", layout) for layout in LAYOUTS),
    *(("fast", layout) for layout in LAYOUTS if layout not in ("copyback", "die_combined")),
]
OPS = any_of([(1, 0, 0, 0), (0.5, 0.5, 0, 0), (0.6, 0.2, 0.15, 0.05)])


@st.composite
def layers(draw, scheme, layout):
    """Draw a translation layer, of what goes with `scheme` and `layout`."""
    is_fast, by_token = scheme == "fast", layout in ("sequential", "copyback")
    combines = LAYOUTS[layout].get("gc", {}).get("combine_writes", False)
    background = None if combines else draw(any_of([None, 0.3, 0.6]))
    planes = ["CWDP", "PDWC"] + ([] if is_fast or layout == "copyback" else ["round_robin"])
    return merge(
        LAYOUTS[layout],
        {
            "mapping": {
                "scheme": scheme,
                "cache_kib": draw(any_of([1, 2, 3, 8])) * 8 / 1024,
                "protected_share": draw(any_of([0.0, 0.5, 1.0])),
                "log_blocks": draw(any_of([None, None, 1, 2])) if is_fast else None,
                "sequential_log_blocks": draw(any_of([1, 2, 3])) if is_fast else 1,
                "in_place": draw(any_of([True, False])) if is_fast else True,
            },
            "plane_allocation": draw(any_of(planes + ["token"] * (by_token and not is_fast))),
            "active_blocks": "shared" if is_fast else draw(any_of(["separate", "shared", "hot_cold"])),
            "hot_window_s": 1e-3,
            "partial_write": draw(any_of(["pad", "read_modify_write"])),
            "gc": {
                "moves_in_flight": draw(any_of([1, 2, 16])),
                "victim": draw(any_of(["greedy", "greedy", "rga", "fifo", "random"])),
                "background_threshold": background,
                "min_gain": draw(any_of([0.0, 0.0, 0.5])),
                "holds_writes": draw(st.booleans()),
            },
            "wear_leveling": {"static": not is_fast and draw(any_of([False, False, True])), "static_threshold": 2},
        },
    )


@st.composite
def devices(draw, scheme, layout):
    """Draw a device as full as is allowed, or nearly so.

    Where a victim may have next to no dead page and each of the others has a translation page written, collection pays
    only on a device with blocks to spare.
    """
    ftl = draw(layers(scheme, layout))
    bits = draw(any_of([1, 1, 2, 3]))
    cells = {"pages_per_block": 6, "bits_per_cell": bits, "program_us": [100.0, 200.0, 300.0][:bits]}
    buffers = any_of(["epo", "plane_lists"] if ftl.get("unit") == "die" else ["none", "none", "lru"])
    changes = {
        "hardware": cells,
        "flash": {
            "multi_plane": draw(any_of([[], ["read", "program", "erase", "copyback"]])),
            "write_complete": draw(any_of(["program_end", "program_end", "transfer_end"])),
            "partial_write_turn": draw(any_of(["after_read", "on_arrival"])),
            "unprogrammed_read": draw(any_of(["memory", "flash"])),
        },
        "buffer": {"replacement": draw(buffers), "size_mib": draw(st.integers(1, 8)) * PAGE / 2**20},
        "ftl": ftl,
    }
    pages = draw(st.integers(2, 6)) * bits
    blocks_to_spare = 4 if scheme == "dftl" and ftl["gc"]["victim"] in ("fifo", "random") else 0
    return sized(
        tiny_config(changes),
        slack=draw(any_of([0, 0, 1, 8])) + blocks_to_spare * pages,
        channels=draw(any_of([1, 1, 2])),
        planes_per_die=draw(any_of([1, 2] if layout in ("sequential", "copyback") else [2, 2, 3, 4])),
        pages_per_block=pages,
        blocks_per_plane=draw(st.integers(12, 16)),
    )


class Dictionary(Host):
    """The host, with the version that every logical page had to be newer than when it was written last.

    Those that were never written, or were trimmed since, are not in `written`.
    """

    def __init__(self, config, modules):
        self.written = {}
        self.table = None
        super().__init__(config, modules)

    def ask(self, op, lpa=0, sectors=0, first=0):
        version = self.device.layer.admission.version
        count, together = max(-(-sectors // self.promises.sectors), 1), self.promises.terms.together
        if op == WRITE:
            self.written.update(dict.fromkeys(range(lpa, lpa + count), version))
        elif op == TRIM:
            begin, end = -(-lpa // together), (lpa + count) // together
            for each in range(begin * together, end * together):
                self.written.pop(each, None)
        super().ask(op, lpa, sectors, first)

    def tick(self):
        """After every event: what flash says of the mapping changes only where a translation page is written."""
        super().tick()
        mapping, before = self.device.mapping, self.table
        if mapping.translation_pages:
            self.table = mapping.table.to_numpy()
        if before is not None:
            changed = np.flatnonzero(before[: self.pages] != self.table[: self.pages])
            written = self.pages + changed // mapping.entries_per_page
            assert (before[written] != self.table[written]).all()

    def rest(self):
        """Wait until nothing is left to happen at all."""
        self.settle()
        with pytest.raises(EmptySchedule):
            for _ in range(500_000):
                self.env.step()
                self.tick()
        assert not [*self.device.waiting()]
        self.check()
        if self.device.translation is not None:
            self.check_translation_at_rest(self.device.translation)

    def check(self):
        """At any time: the books are right, and clean entries say what flash does."""
        self.device.check()
        if self.device.translation is not None:
            cache, table = self.device.mapping.cache, self.device.mapping.table
            clean = [lpa for lpa in range(self.pages) if cache.holds(lpa) and not cache.is_dirty(lpa)]
            assert [cache.find(lpa) for lpa in clean] == [table.get(lpa) for lpa in clean]
            self.check_blocks()

    def check_blocks(self):
        """Pages of the mapping table have blocks of their own."""
        blocks, first = self.device.blocks, self.pages
        ppas = [ppa for ppa in range(blocks.pages) if blocks.is_valid(ppa)]
        tables = {blocks.block_of(ppa) for ppa in ppas if blocks.spare.get(ppa) >= first}
        assert not tables & {blocks.block_of(ppa) for ppa in ppas if blocks.spare.get(ppa) < first}

    def check_translation_at_rest(self, translation):
        """The cache is no larger than it may be, and what was counted is what the flash did."""
        cache, counters = self.device.mapping.cache, self.device.counters
        assert cache.used <= cache.capacity
        assert translation.counts.reads == counters.count(READ, MAPPING)
        assert translation.counts.writes + translation.counts.padded_pages == counters.count(PROGRAM, MAPPING)

    def check_contents(self):
        """Hold all that is in flash against the dictionary; nothing may be in the buffer."""
        contents, mapping = self.device.contents, self.device.mapping
        for lpa in range(self.pages):
            ppa = mapping.lookup(lpa)
            if ppa >= 0:
                found = contents.get(ppa)
                assert contents.word_of(ppa) == content_word(lpa, found)
                assert found > self.written[lpa] if lpa in self.written else self.promises.terms.together > 1
            else:
                assert lpa not in self.written


class Mapped(RuleBasedStateMachine):
    """Requests, in bursts and one by one, and time for them."""

    def __init__(self, scheme, layout, patch, modules):
        super().__init__()
        self.scheme, self.layout, self.patch, self.modules = scheme, layout, patch, modules
        self.host = None

    @initialize(data=st.data(), entries=any_of([2, 4, 8]), full=any_of([True, True, False]))
    def begin(self, data, entries, full):
        for module in (dftl, self.modules[dftl.__name__]):  # many translation pages for few logical ones
            self.patch.setattr(module, "entry_bytes", lambda pages: PAGE // entries)
        self.host = Dictionary(data.draw(devices(self.scheme, self.layout)), self.modules)
        if full:
            self.host.fill()

    @contextmanager
    def sound(self):
        """Give the host to a rule; a failure leaves it in no state to go on with."""
        host, self.host = self.host, None
        yield host
        host.check()
        self.host = host

    @rule(seed=st.integers(0, 2**32), ops=OPS, hot=any_of([1.0, 1.0, 0.3, 0.1]))
    def send(self, seed, ops, hot):
        with self.sound() as host:
            host.send_any(Random(seed), ops, max(int(host.pages * hot), 1))

    @rule(lpa=st.integers(0, 10**6), pages=st.integers(1, 5), op=any_of([WRITE, WRITE, READ, TRIM, FLUSH]))
    def ask(self, lpa, pages, op):
        with self.sound() as host:
            lpa %= host.pages
            host.ask(op, lpa, min(pages, host.pages - lpa) * host.promises.sectors)

    @rule(lpa=st.integers(0, 10**6), sectors=st.integers(1, 7), op=any_of([WRITE, READ]))
    def ask_for_part(self, lpa, sectors, op):
        with self.sound() as host:
            host.ask(op, lpa % host.pages, sectors=sectors)

    @rule(events=st.integers(0, 12) | st.integers(0, 300))
    def run(self, events):
        with self.sound() as host:
            host.run(events=events)

    @rule()
    def rest(self):
        with self.sound() as host:
            host.rest()

    @rule()
    def read_all(self):
        with self.sound() as host:
            host.read_all()

    def teardown(self):
        if self.host is not None:
            self.host.settle()
            self.host.ask(FLUSH)
            self.host.rest()
            self.host.check_contents()
            self.host.read_all()


def run(scheme, layout, patch, examples, modules=sys.modules, **more):
    """Run the machine."""
    chosen = settings(settings.default, max_examples=max(examples, 1), stateful_step_count=12, **more)
    run_state_machine_as_test(lambda: Mapped(scheme, layout, patch, modules), settings=chosen)


@pytest.mark.parametrize(("scheme", "layout"), MACHINES)
def test_what_was_written_last_is_there(scheme, layout, monkeypatch):
    run(scheme, layout, monkeypatch, settings.default.max_examples // 12)


def without_the_cache(mapping):
    """Have the mapping be what flash says of it."""
    return mapping["dftl"].DemandMapping, "lookup", lambda self, lpa: self.table.get(lpa)


def without_a_second_look(mapping):
    """Have an entry that was written leave even if it has changed again since."""

    def written(self, page):
        self.cache.write_back(page, self.cache.overlay(self.mapping.table))
        as_ever(self, page)

    pages = mapping["translation"].TranslationPages
    as_ever = pages.written
    return pages, "written", written


def without_batches(mapping):
    """Have just a new place for a translation page, and none of its entries written."""

    def place(self, page, plane):
        self.mapping.cache.write_back(page, IndexTable(self.mapping.table.size, self.mapping.table.limit))
        return as_ever(self, page, plane)

    places = mapping["places"].TablePlaces
    as_ever = places.place
    return places, "place", place


@pytest.mark.parametrize("change", [without_the_cache, without_a_second_look, without_batches])
def test_the_machine_notices(change, interpreted, monkeypatch):
    mapping = {name: interpreted[f"ssdsim.ftl.mapping.{name}"] for name in ("dftl", "places", "translation")}
    monkeypatch.setattr(*change(mapping))
    with pytest.raises((AssertionError, interpreted["ssdsim.errors"].SimulationError)):
        run("dftl", "sequential", monkeypatch, 30, interpreted, phases=[Phase.generate], database=None)
