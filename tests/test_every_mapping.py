"""Every stack with every mapping for 20,000 requests, on a device that they fill up and write over and over.

A run completes, or is refused before it begins; which are refused, and for what, is listed here.
"""

from pathlib import Path

import attrs
import pytest

import conf
from ssdsim import ConfigError
from ssdsim.run.simulation import simulate
from support.thinned import grid
from support.tiny_stacks import ALL_STACKS, chosen, configured

FOLDER = Path(conf.__file__).parent
MAPPINGS = sorted(file.stem for file in (FOLDER / "ftl" / "mapping").glob("*.yaml"))
REQUESTS = 20_000
SMALL = [
    *("hardware.channels=2", "hardware.chips_per_channel=1", "hardware.dies_per_chip=1", "hardware.planes_per_die=2"),
    *("hardware.blocks_per_plane=48", "hardware.pages_per_block=24", "hardware.over_provisioning=0.4"),
    *("ftl.gc.soft_threshold=3", "ftl.gc.hard_threshold=2", "ftl.return_to_fast_blocks=3", "ftl.mapping.cache_kib=1"),
    *("workload=synthetic", f"workload.requests={REQUESTS}", "precondition.mode=none", "check=gc"),
]
REFUSED = {
    ("pa_ssd", "fast"): "ftl.page_order=page_type: log and data blocks are filled page by page or row by row",
    ("flex_ftl", "fast"): "ftl.page_order=two_phase: log and data blocks are filled page by page or row by row",
    ("rtf_ftl", "fast"): "ftl.page_order=return_to_fast: log and data blocks are filled page by page",
    ("parity_ftl", "fast"): "ftl.plane_allocation=f: a static order decides where a page belongs",
    ("page_ftl", "fast"): "ftl.plane_allocation=f: a static order decides where a page belongs",
    ("tbm", "fast"): "ftl.plane_allocation=f2: a static order decides where a page belongs",
    ("pcftl", "fast"): "ftl.plane_allocation=token: a static order decides where a page belongs",
    ("dftl", "fast"): "ftl.plane_allocation=chip: a static order decides where a page belongs",
    ("dloop", "fast"): "ftl.gc.moves=copyback",
    ("modern", "fast"): "ftl.unit=superblock: gives a page to whichever plane comes next",
    ("spd_plus", "fast"): "ftl.gc.combine_writes=true",
}
"""Stacks and mappings that do not go together, and the reason given: FAST leaves no choice of plane, block or move."""


def composed(stack, mapping):
    """Return the experiment, with a buffer, if any, so small that pages are written to flash."""
    config = configured(*chosen(stack), f"ftl/mapping={mapping}", *SMALL)
    if config.buffer.replacement == "none":
        return config
    return attrs.evolve(config, buffer=attrs.evolve(config.buffer, footprint_share=None, size_mib=0.125))


@pytest.mark.parametrize(("stack", "mapping"), grid(0.34, ALL_STACKS, MAPPINGS))
def test_every_stack_runs_with_every_mapping_or_is_refused(stack, mapping):
    if (stack, mapping) in REFUSED:
        with pytest.raises(ConfigError) as refusal:
            simulate(composed(stack, mapping))
        assert str(refusal.value).startswith(REFUSED[stack, mapping])
        return
    summary = simulate(composed(stack, mapping)).summary
    assert sum(of["count"] for of in summary["requests"].values()) == REQUESTS
    assert summary["gc"]["collections"] > 50  # superblocks are few
    assert summary["write_amplification"] < 30
    if mapping == "dftl":
        assert summary["mapping"]["writes"] > 100
