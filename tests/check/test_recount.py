"""The oracle of a summary: each figure is counted again from the tables, and one that is off is told."""

import attrs
import pytest

from ssdsim.config import PreconditionConfig
from ssdsim.testing import RequestList
from support.recount import counted, differences, recounted
from support.small_devices import load, mixed, small

STACKS = ("baseline", "dftl", "fast", "flex_ftl", "modern", "pa_ssd", "pcftl", "slc_mode", "spd_plus", "superpage")


def busy(stack):
    """Return a run of some hundred requests of three streams on a small device."""
    config = load(small(stack), 260, seed=3)
    others = {
        "open": RequestList(rows=[(at * 90_000, *row[1:]) for at, row in enumerate(mixed(config, 60, seed=7))]),
        "closed": RequestList(rows=mixed(config, 40, seed=8), queue_depth=2),
    }
    return attrs.evolve(config, workloads=others)


@pytest.mark.parametrize("stack", STACKS)
def test_every_figure_of_every_stack_is_that_of_the_tables(stack):
    result, claims = counted(busy(stack))
    assert list(differences(result.summary, claims)) == []
    assert result.summary["requests"]["write"]["count"] > 100
    assert "requests.write.count" in claims and len(claims) > 50


@pytest.mark.parametrize("stack", ["baseline", "spd", "pa_ssd"])
def test_what_was_under_way_when_the_measured_run_began_is_told_apart(stack):
    prepared = PreconditionConfig(mode="writes", timed=True, fill_share=0.5, max_windows=2)
    recounted(attrs.evolve(busy(stack), precondition=prepared, workloads={}, integrity="off"))
