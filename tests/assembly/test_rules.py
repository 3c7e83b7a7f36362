"""What does not go together: every rule can be broken, says so in one sentence with its keys, and needs no device."""

import re

import pytest
import yaml

from ssdsim import ConfigError
from ssdsim.assembly.device import Device
from ssdsim.assembly.parts import Parts
from ssdsim.assembly.rules import RULES, refusals
from ssdsim.config import SyntheticConfig
from support.mixes import changed

FAST = {"mapping": {"scheme": "fast"}}
TYPES = {"page_order": "page_type", "page_type": ["uniform"]}
ALIGNED = {"unit": "twin"}
MLC = {"bits_per_cell": 2}
TLC = {"bits_per_cell": 3, "pages_per_block": 6}
ONE_SHOT = {"program_unit": "wordline"}
PAQ = {"policy": "paq"}
ALL = ["read", "program", "erase"]
HALVES = {"soft_threshold": 0.5, "hard_threshold": 0.5}
ISOLATED = {"plane_allocation": "by_stream", "isolation": {"unit": "plane"}}
OTHERS = {"other": SyntheticConfig(queue_depth=1)}
BROKEN = [
    {"flash": {"suspension": {"policy": "always"}, "collection_holds": "channel"}},
    {
        "hardware": {"plane_reads": "independent", "cache_read_us": 3.0, "cache_program_us": 3.0},
        "flash": {
            "read_planes": "all",
            "write_complete": "transfer_end",
            "collection_holds": "channel",
            "suspension": {"policy": "always"},
        },
    },
    {"ftl": {"mapping": {"scheme": "support.mappings.MapInFlash"}, "unit": "super_page"}},
    {"ftl": FAST | TYPES},
    {"ftl": FAST | {"plane_allocation": "token"}},
    {"ftl": FAST | {"active_blocks": "hot_cold"}},
    {"ftl": FAST | {"backup": "page_copy", "wear_leveling": {"static": True}}},
    {"ftl": FAST | {"gc": {"moves": "copyback"}}},
    {"ftl": {"mapping": {"scheme": "dftl"}, "gc": {"moves": "copyback"}}},
    {"ftl": FAST | {"unit": "die", "gc": {"combine_writes": True, "background_threshold": 0.1}}},
    {
        "precondition": {"mode": "fill", "whole_blocks": False},
        "ftl": {"page_order": "page_type", "page_type": ["uniform"], "backup": "pair_parity"},
    },
    {"precondition": {"mode": "fill", "whole_blocks": False}, "ftl": FAST},
    {"precondition": {"mode": "writes", "full_buffer": True}, "buffer": {"replacement": "lru"}},
    {"precondition": {"full_buffer": True}, "buffer": {"replacement": "lru", "write_through": True}},
    {"power_loss": {"after_programs": 7}, "timing": "off", "buffer": {"replacement": "lru"}},
    {"ftl": {"backup": "page_copy"}, "hardware": TLC},
    {"ftl": {"backup": "block_parity"}, "hardware": MLC},
    {"ftl": {"backup": "page_copy", "backup_place": "next_channel"}, "hardware": MLC | {"channels": 1}},
    {"ftl": TYPES | {"page_order": "two_phase"}, "hardware": MLC | {"pages_per_block": 6}},
    {"ftl": {"backup": "page_copy", "active_blocks": "shared"}, "hardware": MLC, "flash": {"program_order": "free"}},
    {
        "ftl": {"backup": "pair_parity", "active_blocks": "shared"},
        "hardware": MLC,
        "flash": {"partial_write_turn": "on_arrival"},
    },
    {"power_loss": {"after_programs": 7}, "flash": {"program_order": "free"}},
    {
        "hardware": MLC | {"page_type_map": "modulo"},
        "flash": {"program_order": "fps"},
        "ftl": {"backup": "pair_parity", "active_blocks": "shared"},
    },
    {"hardware": TLC | {"page_type_map": "mqsim"}, "ftl": TYPES, "power_loss": {"after_programs": 7}},
    {"ftl": TYPES | {"page_order": "return_to_fast", "active_blocks": "hot_cold"}},
    {"ftl": {"page_type": ["uniform"]}},
    {"ftl": TYPES | {"page_type": ["adaptive"]}},
    {"scheduler": PAQ | {"page_type_aware": True}, "hardware": {"planes_per_die": 2}},
    {"scheduler": PAQ, "flash": {"multi_plane": ALL}},
    {"scheduler": PAQ, "flash": {"multi_plane": ALL, "plane_groups": 1}, "hardware": {"planes_per_die": 2}},
    {"ftl": {"gc": {"ranking": "least"}}},
    {"ftl": TYPES | {"gc": {"moves": "parallel", "ranking": "least"}}},
    {"ftl": {"unit": "super_page", "gc": {"ranking": "least"}}},
    {"ftl": {"plane_allocation": "token", "gc": {"moves": "parallel"}}},
    {"ftl": {"plane_allocation": "token", "gc": {"moves": "chip"}}},
    {"ftl": {"plane_allocation": "by_stream", "gc": {"scope": "device"}}},
    {"ftl": ISOLATED | {"unit": "twin"}, "hardware": {"planes_per_die": 2}, "workloads": OTHERS},
    {"ftl": ISOLATED | {"gc": {"moves": "parallel"}}, "hardware": {"planes_per_die": 2}, "workloads": OTHERS},
    {"ftl": ISOLATED | {"unit": "superblock"}, "hardware": {"planes_per_die": 2}, "workloads": OTHERS},
    {"ftl": {"isolation": {"unit": "die", "units": {"main": [0]}}}},
    {"host": {"rates": {"iops": {"main": 1.0}, "bandwidth_mib_s": {"main": 1.0}}}, "timing": "off"},
    {"host": {"only_stream": "third"}, "timing": "off"},
    {"ftl": {"gc": {"moves": "parallel", "scope": "device"}}},
    {"ftl": TYPES | {"page_order": "return_to_fast", "gc": {"scope": "device"}}},
    {"ftl": FAST | {"gc": {"moves": "chip", "scope": "device", "holds_requests": True}}},
    {"ftl": TYPES | {"page_order": "return_to_fast", "gc": {"moves": "copyback"}}},
    {"ftl": ALIGNED | {"plane_allocation": "token"}},
    {"ftl": {"backup": "page_copy", "gc": {"moves": "copyback", "combine_writes": True, "background_threshold": 0.1}}},
    {"ftl": {"unit": "super_page", "gc": {"moves": "copyback"}}, "timing": "off"},
    {"ftl": {"super_page_of": "stripe"}},
    {"ftl": {"unit": "die"}, "precondition": {"mode": "writes", "timed": False}},
    {"ftl": FAST | {"unit": "super_page", "super_page_of": "stripe"}, "power_loss": {"after_programs": 7}},
    {"ftl": {"plane_allocation_at": "dispatch"}},
    {"ftl": FAST | {"unit": "superblock", "gc": {"ranking": "least", "chip_margin": 0.1}}},
    {
        "ftl": {"unit": "superblock", "plane_allocation": "f2", "plane_allocation_at": "dispatch"},
        "flash": {"collection_holds": "channel"},
    },
    {"ftl": {"mapping": {"scheme": "dftl"}, "unit": "die", "gc": {"holds_requests": True, "combine_writes": True}}},
    {"ftl": FAST | {"next_block": "filled", "gc": {"reserved_blocks": 2}}},
    {"ftl": TYPES | {"next_block": "filled", "gc": {"reserved_blocks": 2, "trigger": "free_pages", **HALVES}}},
    {"ftl": {"gc": {"reserved_blocks": 2, "moves": "chip", "scope": "device", "background_threshold": 0.1}}},
    {"ftl": {"gc": {"reserved_blocks": 2, "chip_margin": 0.1, "holds_writes": True, "holds_requests": True}}},
    {"ftl": {"unit": "twin", "gc": {"reserved_blocks": 2, "moves": "controller", "scope": "device"}}},
    {"ftl": FAST | {"gc": {"paced": True, "reserved_blocks": 2, "holds_writes": True}}},
    {"ftl": {"gc": {"paced": True, "moves": "chip", "scope": "device"}}},
    {"ftl": FAST | {"slc_cache": {"blocks": 1}, "backup": "page_copy"}},
    {"ftl": {"slc_cache": {"blocks": 1}, "gc": {"scope": "device", "moves": "parallel"}}, "hardware": TLC},
    {"ftl": {"slc_cache": {"free_share": 0.5}, "gc": {"reserved_blocks": 2, "combine_writes": True}}, "hardware": TLC},
    {
        "ftl": {"slc_cache": {"free_share": 0.5}},
        "hardware": TLC,
        "precondition": {"mode": "fill", "whole_blocks": False},
    },
    {"hardware": ONE_SHOT, "ftl": FAST | {"gc": {"moves": "copyback", "combine_writes": True}}},
    {"hardware": ONE_SHOT, "ftl": TYPES | {"backup": "page_copy", "gc": {"moves": "chip", "scope": "device"}}},
    {"hardware": ONE_SHOT, "ftl": {"gc": {"reserved_blocks": 2}}, "flash": {"program_order": "free"}},
    {"hardware": ONE_SHOT, "flash": {"wordline_buffer": False, "unprogrammed_read": "flash"}},
    {"hardware": ONE_SHOT, "flash": {"partial_write_turn": "on_arrival"}},
    {"timing": "off", "read_cache": {"size_mib": 1.0}, "dram": {"bandwidth_mib_s": 100.0}},
]


def broken(config):
    return [(refusal.rule.reason, refusal.condition) for refusal in refusals(Parts(config))]


def test_every_condition_of_every_rule_can_be_broken(tiny):
    all_conditions = {(rule.reason, condition) for rule in RULES for condition in rule.second}
    assert {of for changes in BROKEN for of in broken(tiny(changes))} == all_conditions


@pytest.mark.parametrize("changes", BROKEN, ids=str)
def test_what_breaks_a_rule_is_one_sentence_that_names_its_keys_and_no_device_is_made(tiny, changes):
    config = tiny(changes)
    found = list(refusals(Parts(config)))
    for refusal in found:
        text = str(refusal)
        assert "\n" not in text and text.endswith(".") and not re.search(r"[.!?]\s+[A-Z]|\{\w", text)
        assert text.startswith(refusal.keys[0])
        assert all(key in text for key in refusal.keys if key != "workloads"), text
    with pytest.raises(ConfigError) as built:
        Device(config)
    assert str(built.value) == str(found[0])


@pytest.mark.parametrize("changes", BROKEN, ids=str)
def test_the_value_that_is_advised_breaks_the_rule_no_more(tiny, changes):
    config = tiny(changes)
    for refusal in refusals(Parts(config)):
        if "{right}" in refusal.rule.remedy:
            mended = changed(config, {refusal.keys[1]: yaml.safe_load(refusal.right)})
            assert (refusal.rule.reason, refusal.condition) not in broken(mended), refusal


def test_all_that_a_configuration_breaks_is_told_and_not_only_the_first(tiny):
    config = tiny({"ftl": FAST | {"backup": "page_copy", "gc": {"moves": "copyback"}}})
    assert [refusal.keys for refusal in refusals(Parts(config))] == [
        ("ftl.mapping.scheme", "ftl.backup"),
        ("ftl.mapping.scheme", "ftl.gc.moves"),
        ("ftl.backup", "ftl.gc.moves"),
    ]


def test_the_key_that_counts_is_told_where_another_is_null(tiny):
    changes = {"hardware": TLC, "ftl": {"backup": "page_copy", "active_blocks": "shared"}}
    (refusal,) = refusals(Parts(tiny(changes)))
    assert "is for 2 page types, and hardware.bits_per_cell=3; set hardware.bits_used=2" in str(refusal)
    assert broken(tiny(changes | {"hardware": TLC | {"bits_used": 2}})) == []
    (refusal,) = refusals(Parts(tiny({"power_loss": {"after_programs": 7}, "timing": "off"})))
    assert "no time, and power_loss.after_programs=7 is about" in str(refusal)
