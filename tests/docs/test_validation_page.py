"""What the validation page shows is what runs give."""

import re
from collections import Counter
from functools import partial
from math import inf

import attrs
import pytest

from docs import agreement
from docs.names import PROJECT
from docs.pictures.agreement import replays
from docs.power_cuts import CUTS, STACKS, cut, stored
from experiments.validation import agreement_collection, agreement_devices
from experiments.validation.agreement_collection import FIGURES, compared
from experiments.validation.agreement_statistics import NAME, tables

CHECKED = (("page_ftl", 200), ("flex_ftl", 800))
"""Of the cuts, one that loses pages and one whose pages are restored; all others with -m more."""


def test_first_requests_answer_as_mqsim_and_ssdsim_did():
    found = list(replays())
    assert len(found) == 10
    assert [(each.workload, each.simulator) for each in found if each.equal < len(each.ours) or each.equal < 450] == []


def cells():
    """Return the table of agreement: what is compared, and the result."""
    text = (PROJECT / "docs" / "pages" / "validation" / "index.md").read_text(encoding="utf-8")
    return dict(re.findall(r"^\| (.+) \| (.+) \|$", text.partition("| what is compared | result |")[2], re.MULTILINE))


WORKLOADS = [(kernel, each) for kernel in ("compiled", "simpy") for each in agreement.stored()]
QUICK = {("compiled", "R2b", "mqsim"), ("compiled", "W3", "ssdsim")}


@pytest.mark.parametrize(
    ("kernel", "theirs"),
    [
        pytest.param(
            kernel, each, id=f"{place[1]}-{place[2]}-{kernel}", marks=[] if place in QUICK else pytest.mark.more
        )
        for kernel, each in WORKLOADS
        for place in [(kernel, each.workload, each.simulator)]
    ],
)
def test_whole_workloads_answer_as_theirs_did(kernel, theirs):
    assert agreement.replayed(theirs.workload, theirs.simulator, kernel) == theirs


OF_CHIPS = partial(agreement_devices.device_of, of_chips=True)
DEVICES = {
    "drawn": (agreement.devices, agreement_devices.device_of, {("compiled", 1, 1), ("simpy", 3, 1)}),
    "of_chips": (agreement.chips, OF_CHIPS, {("compiled", 3, 1), ("simpy", 4, 1)}),
    "linked": (agreement.linked_devices, agreement_devices.linked, {("compiled", 8, 1)}),
    "bursts": (agreement.bursts, agreement_devices.bursts, {("compiled", 6, 16), ("simpy", 7, 16)}),
    "cached": (agreement.cached_devices, agreement_devices.cached, {("compiled", 13, 16)}),
    "collecting": (agreement.collecting_devices, agreement_devices.collecting, {("compiled", 3, 1), ("simpy", 40, 1)}),
}
"""By kind: the answers that are stored, how each of their devices is made, and kernels, seeds and requests at once of
a usual run; all others with -m more."""


@pytest.mark.parametrize(
    ("device_of", "theirs", "kernel"),
    [
        pytest.param(
            device_of,
            theirs,
            kernel,
            id=f"{kind}-{theirs.simulator}-{theirs.seed}-{theirs.at_once}-{kernel}",
            marks=[] if (kernel, theirs.seed, theirs.at_once) in usual else pytest.mark.more,
        )
        for kind, (stored_ones, device_of, usual) in DEVICES.items()
        for kernel in ("compiled", "simpy")
        for theirs in stored_ones()
    ],
)
def test_drawn_devices_answer_as_theirs_did(device_of, theirs, kernel):
    assert agreement_devices.ours(theirs, device_of(theirs), kernel) == theirs


def test_that_devices_collect_while_they_are_read():
    """Where a collection holds its die alone, response times are others."""
    kept = agreement.collecting_devices()[1]
    device = agreement_devices.collecting(kept)
    alone = attrs.evolve(device, more=(*device.more, "flash.collection_holds=die"))
    assert agreement_devices.ours(kept, alone, "compiled") != kept


@pytest.mark.parametrize(
    ("stored_ones", "what", "requests"),
    [
        (agreement.stored, "The same five workloads", 20_000),
        (agreement.devices, "one and two planes", 3000),
        (agreement.chips, "dies a chip", 3000),
        (agreement.bursts, "bursts", 3000),
        (agreement.cached_devices, "in a DRAM", 3000),
    ],
)
def test_the_page_tells_how_many_response_times_are_compared(stored_ones, what, requests):
    (result,) = [result for each, result in cells().items() if what in each]
    found = stored_ones()
    assert {each.requests for each in found} == {requests} and len(set(found)) == len(found)
    assert f"all {sum(each.requests for each in found):,} response times" in result


@pytest.mark.parametrize(
    ("stored_ones", "what", "counts"),
    [
        (agreement.linked_devices, "behind its link", {1: "all of {} of 40 devices", 4: "of {} of 6"}),
        (agreement.collecting_devices, "Collection, SSDSim", {1: "all of {} of 40 devices"}),
    ],
)
def test_the_page_tells_how_many_devices_answer_alike(stored_ones, what, counts):
    (result,) = [result for each, result in cells().items() if what in each]
    found = Counter(each.at_once for each in stored_ones())
    assert found.keys() == counts.keys()
    assert all(told.format(found[at_once]) in result for at_once, told in counts.items())


TWO_PLANES = sorted({each["run"] for each in tables(agreement.DATA / NAME) if "run" in each})


@pytest.mark.parametrize(
    "run", [pytest.param(run, marks=[] if run == "ss_B20_W2b_11" else pytest.mark.more) for run in TWO_PLANES]
)
def test_two_planes_answer_as_theirs_did(run):
    found = agreement.two_planes(run)
    assert len(found) >= 12 and [each for each in found if not each.agrees] == []


def test_the_page_tells_how_many_sets_of_two_planes_are_compared():
    sets = [each for each in tables(agreement.DATA / NAME) if "op" in each]
    assert any(what.startswith("Two planes") and f" of {len(sets)} sets of responses" in what for what in cells())


def test_collection_on_a_small_device_answers_as_mqsim_did():
    runs = [
        run
        for run in agreement.answers(agreement.DATA / agreement_collection.NAME, agreement_collection.Run)
        if run.device == "four_planes"
    ]
    found = list(compared([run for run in runs if run.rate == min(run.rate for run in runs)]))
    assert {each.figure for each in found} == set(FIGURES) and min(each.seeds for each in found) >= 3
    assert [each for each in found if not each.agrees or each.within == inf] == []


@pytest.mark.more
def test_collection_answers_as_mqsim_did():
    found = agreement.collection()
    assert {each.device for each in found} == set(agreement_collection.DEVICES)
    assert [each for each in found if not each.agrees] == []


def test_every_cut_is_stored():
    assert [(each.stack, each.after_programs) for each in stored()] == [(stack, at) for stack in STACKS for at in CUTS]


@pytest.mark.parametrize(
    ("stack", "after_programs"),
    [
        pytest.param(stack, after, marks=() if (stack, after) in CHECKED else pytest.mark.more)
        for stack in STACKS
        for after in CUTS
    ],
)
def test_stored_cuts_are_what_runs_give(stack, after_programs):
    (kept,) = [each for each in stored() if (each.stack, each.after_programs) == (stack, after_programs)]
    assert cut(stack, after_programs) == kept
