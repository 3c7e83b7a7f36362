"""Whatever is put together either runs, or is refused when it is built, in one sentence that names what to change."""

import re

from device_parts import BY_PAGE_TYPE, PLANE_ALLOCATIONS, VICTIMS
from hypothesis import given
from hypothesis import strategies as st

from ssdsim import ConfigError
from ssdsim.assembly.device import Device
from ssdsim.errors import SimulationError

PAGE = 4096
ANY = st.sampled_from
GC = {
    "unit": ANY(["block", "parallel", "aligned"]),
    "ranking": ANY(["total", "total", "least"]),
    "chip_margin": ANY([None, 0.0, 0.05, 1.0]),
    "combine_writes": ANY([False, False, True]),
    "holds_writes": st.booleans(),
    "copyback": ANY([False, False, True]),
    "partner_gain": ANY([0.0, 0.5, 1.0]),
    "victim": ANY(VICTIMS),
    "trigger": ANY(["free_blocks", "free_pages", "spare_blocks"]),
    "soft_threshold": ANY([0.1, 0.3, 1, 2, 3]),
    "hard_threshold": ANY([0.1, 0.3, 1, 2]),
    "min_gain": ANY([0.0, 0.5, 1.0]),
    "background_threshold": ANY([None, None, 0.1, 1.0]),
    "moves_in_flight": ANY([1, 16]),
}
FTL = {
    "plane_allocation": ANY([*PLANE_ALLOCATIONS, "token", "token"]),
    "extra_block_share": ANY([None, None, None, 0.03, 0.3]),
    "block_allocation": ANY(["sequential", "page_type", "two_phase", "return_to_fast", "aligned", "aligned"]),
    "write_unit": ANY(["page", "die", "super_page"]),
    "active_blocks": ANY(["separate", "shared", "hot_cold"]),
    "hot_window_s": ANY([1e-9, 1e-3, 7200.0]),
    "return_to_fast_blocks": st.integers(1, 3),
    "page_type": ANY([[], [], ["uniform"], ["write_buffer"], ["adaptive"]]),
    "bac": st.booleans(),
    "backup": ANY(["none", "none", "none", "block_parity", "pair_parity", "page_copy"]),
    "partial_write": ANY(["pad", "read_modify_write"]),
    "mapping": st.fixed_dictionaries(
        {
            "scheme": ANY(["page", "page", "dftl", "fast"]),
            "cache_kib": ANY([0.01, 0.1, 64.0]),
            "log_blocks": ANY([None, None, 1, 3]),
        }
    ),
}
SECTIONS = {
    "hardware": {
        "chips_per_channel": st.integers(1, 2),
        "dies_per_chip": st.integers(1, 2),
        "planes_per_die": st.integers(1, 4),
        "blocks_per_plane": st.integers(1, 14),
        "extra_blocks": ANY([0, 0, 3]),
        "pages_per_block": st.integers(1, 6),
        "bits_per_cell": st.integers(1, 3),
        "over_provisioning": ANY([0.0, 0.3, 0.5, 0.7, 0.9]),
    },
    "flash": {
        "multi_plane": ANY([[], ["program"], ["program", "read", "erase"], ["copyback", "erase"]]),
        "plane_groups": ANY([None, 1, 2, 3, 5]),
        "program_order": ANY(["strict", "relaxed", "fps", "rps"]),
        "partial_read": ANY(["requested", "stored"]),
        "partial_program": ANY(["whole_page", "whole_page", "stored", "changed"]),
    },
    "scheduler": {
        "policy": ANY(["fcfs", "read_priority", "host_reads_first", "paq"]),
        "page_type_aware": ANY([False, False, True]),
    },
    "buffer": {
        "replacement": ANY(["none", "lru", "epo", "plane_lists"]),
        "size_mib": ANY([1e-6, 1 / 256, 3 / 256, 1.0]),
        "footprint_share": ANY([None, 1e-3, 0.3, 2.0]),
        "write_back": ANY(["when_full", "at_once"]),
        "pages_in_flight": ANY([None, 1, 5]),
    },
    "power_loss": {"at_s": ANY([None, None, 1e-4]), "capacitor": st.booleans()},
    "precondition": {
        "mode": ANY(["none", "fill", "writes"]),
        "fill_share": ANY([None, 0.0, 0.3, 0.6, 1.0]),
        "fill_share_to": ANY([None, None, 0.5, 0.9]),
        "valid_share": ANY([None, 0.0, 0.5, 1.0]),
        "valid_reads": st.booleans(),
        "timed": st.booleans(),
        "max_windows": st.just(2),
    },
}
COMBINATIONS = st.fixed_dictionaries(
    {name: st.fixed_dictionaries(keys) for name, keys in SECTIONS.items()}
    | {"ftl": st.fixed_dictionaries(FTL | {"gc": st.fixed_dictionaries(GC)}), "timing": ANY(["on", "on", "on", "off"])}
)


@st.composite
def mostly_possible(draw):
    """Draw a combination of which most keys go together, so that many are not refused."""
    drawn = draw(COMBINATIONS)
    ftl, hardware = drawn["ftl"], drawn["hardware"]
    if draw(ANY([True, True, False])):
        hardware |= {"bits_per_cell": 1, "blocks_per_plane": 12, "over_provisioning": 0.7}
        share = {"free_pages": 0.2, "spare_blocks": 0.5}.get(ftl["gc"]["trigger"], 2)
        ftl["gc"] |= dict.fromkeys(("soft_threshold", "hard_threshold"), share)
        by_type = ftl["block_allocation"] in BY_PAGE_TYPE
        ftl["page_type"] = draw(ANY([["uniform"], ["adaptive"]])) if by_type else []
        ftl["gc"]["unit"] = "aligned" if ftl["block_allocation"] == "aligned" else ftl["gc"]["unit"]
        drawn["precondition"] |= {"fill_share": 0.5, "fill_share_to": None, "valid_share": 0.2}
    return drawn


def is_one_sentence(text):
    """Return whether a message is a sentence, on one line, that begins with the key it is about."""
    return "\n" not in text and text.endswith(".") and not re.search(r"[.!?]\s+[A-Z]", text) and ":" in text


REQUESTS = st.lists(st.tuples(ANY(["write", "write", "read", "trim"]), st.integers(0, 99)), max_size=80)


@given(mostly_possible(), REQUESTS, ANY([1, 1, 1, 25]))
def test_any_combination_runs_or_is_refused(experiment, tiny, drawn, wanted, times):
    """Only where moves write pages of a mapping table, of victims that need hold no dead page, may it be stopped."""
    wanted = wanted * times
    try:
        pages = Device(tiny(drawn)).config.hardware.logical_pages
        rows = [(number * 1000, op, page % pages * PAGE, PAGE) for number, (op, page) in enumerate(wanted)]
        out = experiment([{"rows": rows}], drawn)
    except ConfigError as refusal:
        assert is_one_sentence(str(refusal))
    except SimulationError as stopped:
        assert "makes no progress" in str(stopped)
        assert drawn["ftl"]["mapping"]["scheme"] == "dftl"
        assert drawn["ftl"]["gc"]["victim"] in ("fifo", "random")
        assert is_one_sentence(str(stopped))
    else:
        given_up = (out.summary["power_loss"] or {}).get("aborted_requests", 0)
        assert sum(of["count"] for of in out.summary["requests"].values()) + given_up == len(wanted)
