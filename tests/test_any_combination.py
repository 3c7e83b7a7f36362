"""Whatever is put together either runs, alike on all three paths, or is refused in one sentence that names a key."""

import re
import sys
from collections import Counter
from functools import cache

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdsim import ConfigError
from ssdsim.assembly.rules import value_of
from ssdsim.command.compose import session
from ssdsim.errors import SimulationError
from support.combinations import OPTIONS, WITH, Trials, changed
from support.device_parts import PLANE_ALLOCATIONS, VICTIMS
from support.tiny_device import PAGE, tiny_config
from support.tiny_stacks import ALL_STACKS

ANY = st.sampled_from
AXES = {
    "ftl.unit": ANY(["block", "twin", "die", "super_page"]),
    "ftl.page_order": ANY(["sequential", "page_type", "two_phase", "return_to_fast"]),
    "ftl.mapping.scheme": ANY(["page", "page", "dftl", "fast"]),
    "ftl.gc.moves": ANY([None, "controller", "rows", "parallel", "copyback", "chip"]),
    "ftl.gc.scope": ANY(["unit", "unit", "device"]),
    "ftl.backup": ANY(["none", "block_parity", "pair_parity", "page_copy"]),
    "ftl.plane_allocation": ANY([*PLANE_ALLOCATIONS, "token", "token"]),
    "ftl.active_blocks": ANY(["separate", "shared", "hot_cold"]),
    "ftl.gc.victim": ANY(VICTIMS),
    "ftl.gc.trigger": ANY(["free_blocks", "block_share", "free_pages", "spare_blocks"]),
    "ftl.gc.background_threshold": ANY([None, 0.1, 1.0]),
    "buffer.replacement": ANY(["none", "lru", "epo", "plane_lists", "plane_turns"]),
    "scheduler.policy": ANY(
        ["fcfs", "read_priority", "host_reads_first", "erases_last", "lowest_die_first", "paq", "flin"]
    ),
    "scheduler.page_type_aware": st.booleans(),
    "power_loss.at_s": ANY([None, 1e-4, 2e-3]),
    "power_loss.after_programs": ANY([None, 1, 40]),
}
OTHERS = {
    "timing": ANY(["on", "on", "on", "off"]),
    "ftl.page_type": ANY([[], ["uniform"], ["write_buffer"], ["adaptive"], ["queue_depth", "utilization"]]),
    "ftl.bac": st.booleans(),
    "ftl.extra_block_share": ANY([None, 0.03, 0.3]),
    "ftl.hot_window_s": ANY([1e-9, 1e-3, 7200.0]),
    "ftl.return_to_fast_blocks": st.integers(1, 3),
    "ftl.partial_write": ANY(["pad", "read_modify_write"]),
    "ftl.mapping.cache_kib": ANY([0.01, 0.1, 64.0]),
    "ftl.mapping.log_blocks": ANY([None, 1, 3]),
    "ftl.mapping.sequential_log_blocks": ANY([1, 2, 3]),
    "ftl.mapping.in_place": st.booleans(),
    "ftl.gc.soft_threshold": ANY([0.1, 0.3, 1, 2, 3]),
    "ftl.gc.hard_threshold": ANY([0.1, 0.3, 1, 2]),
    "ftl.gc.min_gain": ANY([0.0, 0.5, 1.0]),
    "ftl.gc.moves_in_flight": ANY([1, 16]),
    "ftl.gc.reserved_blocks": ANY([1, 2]),
    "ftl.next_block": ANY(["needed", "filled"]),
    "ftl.gc.ranking": ANY(["total", "least"]),
    "ftl.gc.chip_margin": ANY([None, 0.0, 0.05, 1.0]),
    "ftl.gc.partner_gain": ANY([0.0, 0.5, 1.0]),
    "ftl.gc.holds_writes": st.booleans(),
    "ftl.gc.holds_requests": st.booleans(),
    "ftl.gc.combine_writes": st.booleans(),
    "hardware.chips_per_channel": st.integers(1, 2),
    "hardware.dies_per_chip": st.integers(1, 2),
    "hardware.command_unit": ANY(["die", "die", "chip"]),
    "hardware.cache_read_us": ANY([None, None, 2.0]),
    "hardware.cache_program_us": ANY([None, None, 2.0]),
    "hardware.plane_reads": ANY(["together", "independent"]),
    "hardware.page_type_map": ANY(["diagonal", "diagonal", "modulo", "mqsim"]),
    "hardware.planes_per_die": st.integers(1, 4),
    "hardware.blocks_per_plane": st.integers(1, 20),
    "hardware.extra_blocks": ANY([0, 3]),
    "hardware.pages_per_block": st.integers(1, 6),
    "hardware.bits_per_cell": st.integers(1, 3),
    "hardware.over_provisioning": ANY([0.0, 0.3, 0.5, 0.7, 0.9]),
    "flash.partial_write_turn": ANY(["after_read", "on_arrival"]),
    "ftl.super_page_of": ANY(["neighbours", "stripe"]),
    "flash.collection_holds": ANY(["die", "channel"]),
    "flash.multi_plane": ANY([[], ["program"], ["program", "read", "erase"], ["copyback", "erase"]]),
    "flash.plane_groups": ANY([None, 1, 2, 3, 5]),
    "flash.program_order": ANY(["strict", "relaxed", "fps", "rps"]),
    "flash.partial_read": ANY(["requested", "stored"]),
    "flash.partial_program": ANY(["whole_page", "stored", "changed"]),
    "buffer.size_mib": ANY([1e-6, 1 / 256, 3 / 256, 1.0]),
    "buffer.search_ns": ANY([0.0, 0.0, 0.3, 1000.0]),
    "buffer.footprint_share": ANY([None, 1e-3, 0.3, 2.0]),
    "buffer.write_back": ANY(["when_full", "at_once"]),
    "buffer.pages_in_flight": ANY([None, 1, 5]),
    "buffer.slot_free_when": ANY(["programmed", "evicted"]),
    "power_loss.capacitor": st.booleans(),
    "precondition.mode": ANY(["none", "fill", "writes"]),
    "precondition.fill_share": ANY([None, 0.0, 0.3, 0.6, 1.0]),
    "precondition.fill_share_to": ANY([None, 0.5, 0.9]),
    "precondition.valid_share": ANY([None, 0.0, 0.5, 1.0]),
    "precondition.valid_reads": st.booleans(),
    "precondition.whole_blocks": st.booleans(),
    "precondition.collected": st.booleans(),
    "precondition.full_buffer": st.booleans(),
    "precondition.timed": st.booleans(),
}
THRESHOLDS = {"free_blocks": 2, "block_share": 0.05, "free_pages": 0.2, "spare_blocks": 0.5}
ROOMY = {
    "hardware": {"planes_per_die": 2, "blocks_per_plane": 24, "over_provisioning": 0.75, "bits_per_cell": 2},
    "flash": {"multi_plane": ["read", "program", "erase"]},
    "buffer": {"size_mib": 8 * PAGE / 2**20},
    "ftl": {"mapping": {"cache_kib": 0.1}},
    "precondition": {"mode": "fill", "max_windows": 2},
}
"""Where there is room for most, and to which a key goes back that is refused."""

SECTIONS = ("hardware", "flash", "ftl", "buffer", "scheduler", "host", "power_loss", "precondition", "timing")
SECTOR = 512
WHOLE = st.just((0, PAGE))
PARTS = WHOLE | st.tuples(st.integers(0, 7).map(lambda sector: sector * SECTOR), st.integers(1, 24 * SECTOR))
"""Where in its first page a request begins, and how long it is: a page, or from a sector on, of up to three pages."""


def requests(parts):
    """Return a strategy of requests, each of such a part of a page, or of several."""
    request = st.tuples(ANY(["write", "write", "read", "trim"]), st.integers(0, 99), parts)
    return st.lists(request, min_size=8, max_size=60)


FILLED_AND_MOVED = st.fixed_dictionaries(
    {"precondition.mode": ANY(["fill", "none"]), "ftl.gc.moves": ANY(["parallel", "controller"])}
)
WITHOUT_TIME = {
    "timing": "off",
    "buffer.replacement": "none",
    "power_loss.at_s": None,
    "power_loss.after_programs": None,
}


@cache
def base(stack):
    """Return the roomy device with the policies of a stack, or with the default ones for None."""
    config = tiny_config(ROOMY)
    if stack is None:
        return config
    with session():
        policies = Trials().stack(stack)
    return attrs.evolve(config, **{name: getattr(policies, name) for name in ("flash", "ftl", "scheduler", "host")})


def brought(drawn):
    """Return what the values drawn come with."""
    comes = {OPTIONS[key]: {} for key in drawn if key in OPTIONS}
    for key, value in drawn.items():
        if isinstance(value, str):
            comes |= WITH.get((key, value), {})
    if "ftl.gc.trigger" in drawn:
        comes |= dict.fromkeys(("ftl.gc.soft_threshold", "ftl.gc.hard_threshold"), THRESHOLDS[drawn["ftl.gc.trigger"]])
    return comes


def some_of(keys, which):
    """Return a strategy of values of some of the keys."""
    each = {key: st.tuples(ANY(which), values) for key, values in keys.items()}
    return st.fixed_dictionaries(each).map(
        lambda drawn: {key: value for key, (is_set, value) in drawn.items() if is_set}
    )


@st.composite
def combinations(draw):
    """Draw a stack or none, values of most axes and of a few other keys, and mostly what they come with."""
    axes = draw(some_of(AXES, [True, True, False]))
    comes = brought(axes)
    others = draw(some_of(OTHERS, [True, False, False, False]))
    return draw(ANY([None] * 8 + ALL_STACKS)), others | comes | axes


def named(text):
    """Return the keys of the configuration that a message names, in order."""
    words = dict.fromkeys(re.findall(r"\b[a-z_]+(?:\.[a-z_]+)+|\btiming\b", text))
    return [word for word in words if is_key(word)]


def is_key(name):
    try:
        return not attrs.has(type(value_of(base(None), name)))
    except AttributeError:
        return False


def is_one_sentence(text):
    """Return whether a message is a sentence, on one line, that names a key."""
    return "\n" not in text and text.endswith(".") and not re.search(r"[.!?]\s+[A-Z]", text) and bool(named(text))


def attempt(experiment, stack, changes, wanted, kernel="compiled", modules=sys.modules):
    """Run what is put together."""
    config = changed(base(stack), changes)
    sections = {name: attrs.asdict(getattr(config, name)) for name in SECTIONS if name != "timing"}
    capacity = config.hardware.logical_pages * PAGE
    rows = []
    for number, (op, page, (start, size)) in enumerate(wanted if capacity else ()):
        offset = page * PAGE % capacity + start
        rows.append((number * 1000, op, offset, min(size, capacity - offset)))
    return experiment([{"rows": rows}], {**sections, "timing": config.timing}, kernel, modules)


def first_that_runs(experiment, stack, changes, wanted, random, kept=()):
    """Run what is put together, and while that is refused, have a key that the refusal names as it is by default.

    `changes` are then those that have run. Without `random`, nothing is run in place of what is refused; nor where only
    keys that are `kept` could be changed.
    """
    standard = base(None)
    while True:
        try:
            return attempt(experiment, stack, changes, wanted)
        except ConfigError as refusal:
            text = str(refusal)
        assert is_one_sentence(text), text
        about = named(text)
        if "hardware.over_provisioning" in about:  # which is where room is missing, whatever takes it
            about += [key for key in changes if key.startswith("hardware.")]
        now = {key: changes.get(key, value_of(base(stack), key)) for key in about}
        otherwise = [key for key, value in now.items() if value != value_of(standard, key)]
        assert otherwise, f"{text} All that is named is as it is by default"
        mended = [key for key in otherwise if key not in kept]
        if random is None or not mended:
            return None
        key = random.choice(mended)
        changes[key] = value_of(standard, key)


def may_stop(config):
    """Return whether moves write pages of a mapping table, of victims that need hold no dead page."""
    return config.ftl.mapping.scheme == "dftl" and config.ftl.gc.victim in ("fifo", "random")


def test_any_combination_runs_or_is_refused(experiment, interpreted):
    """And at least half of them run."""
    count = Counter()

    @given(
        combinations(), requests(WHOLE), ANY([20, 20, 1]), ANY([True] * 7 + [False]), st.randoms(use_true_random=False)
    )
    def try_one(drawn, wanted, times, mends, random):
        stack, changes = drawn
        wanted = wanted * times
        count["drawn"] += 1
        try:
            out = first_that_runs(experiment, stack, changes, wanted, random if mends else None)
        except SimulationError as stopped:
            assert "makes no progress" in str(stopped) and is_one_sentence(str(stopped))
            assert may_stop(changed(base(stack), changes))
            return
        if out is None:
            return
        count["run"] += 1
        given_up = (out.summary["power_loss"] or {}).get("aborted_requests", 0)
        assert sum(of["count"] for of in out.summary["requests"].values()) + given_up == len(wanted)
        for kernel, modules in (("simpy", sys.modules), ("compiled", interpreted)):
            assert attempt(experiment, stack, changes, wanted, kernel, modules).facts() == out.facts()

    try_one()
    assert count["run"] >= count["drawn"] / 2 > 0


@pytest.mark.parametrize("mapping", ["page", "dftl", "fast"])
def test_any_combination_runs_without_time_or_is_refused(experiment, mapping):
    """With parts of pages; what is read, and what is there in the end, is what was written."""
    count = Counter()

    @given(combinations(), FILLED_AND_MOVED, requests(PARTS), ANY([20, 60]), st.randoms(use_true_random=False))
    def try_one(drawn, chosen, wanted, times, random):
        stack, changes = drawn
        chosen = chosen | {"ftl.mapping.scheme": mapping}
        changes |= chosen | WITHOUT_TIME
        count["drawn"] += 1
        try:
            out = first_that_runs(experiment, stack, changes, wanted * times, random, [*chosen, "timing"])
        except SimulationError as stopped:
            assert "makes no progress" in str(stopped) and is_one_sentence(str(stopped))
            assert may_stop(changed(base(stack), changes))
            return
        if out is not None:
            count["run"] += 1
            assert sum(of["count"] for of in out.summary["requests"].values()) == len(wanted) * times

    try_one()
    assert count["run"] >= count["drawn"] / 2 > 0
