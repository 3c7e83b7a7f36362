"""What the validation page shows is what runs give."""

import re
from collections import Counter
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


def test_the_page_tells_how_many_response_times_are_compared():
    (result,) = [result for what, result in cells().items() if what.startswith("The same five workloads")]
    found = agreement.stored()
    assert {each.requests for each in found} == {20_000} and len({each.workload for each in found}) == 5
    assert f"all {sum(each.requests for each in found):,} response times" in result


DEVICES = [(kernel, each) for kernel in ("compiled", "simpy") for each in agreement.devices()]
USUAL = {("compiled", 1), ("simpy", 3)}


@pytest.mark.parametrize(
    ("kernel", "theirs"),
    [
        pytest.param(
            kernel,
            each,
            id=f"{each.simulator}-{each.seed}-{kernel}",
            marks=[] if (kernel, each.seed) in USUAL else pytest.mark.more,
        )
        for kernel, each in DEVICES
    ],
)
def test_drawn_devices_answer_as_theirs_did(kernel, theirs):
    assert agreement_devices.ours(theirs, agreement_devices.device_of(theirs), kernel) == theirs


def test_the_page_tells_how_many_drawn_devices_are_compared():
    (what,) = [what for what in cells() if "one and two planes" in what]
    found = agreement.devices()
    assert {each.requests for each in found} == {3000} and len(set(found)) == len(found)
    for kind, count in Counter((each.simulator, each.at_once) for each in found).items():
        assert f"{count} " in what, kind
    assert cells()[what] == f"all {sum(each.requests for each in found):,} response times equal to the nanosecond"


CHIPS = [(kernel, each) for kernel in ("compiled", "simpy") for each in agreement.chips()]


@pytest.mark.parametrize(
    ("kernel", "theirs"),
    [
        pytest.param(
            kernel,
            each,
            id=f"{each.simulator}-{each.seed}-{kernel}",
            marks=[] if (kernel, each.seed) in {("compiled", 3), ("simpy", 4)} else pytest.mark.more,
        )
        for kernel, each in CHIPS
    ],
)
def test_devices_of_several_dies_a_chip_answer_as_theirs_did(kernel, theirs):
    assert agreement_devices.ours(theirs, agreement_devices.device_of(theirs, of_chips=True), kernel) == theirs


def test_the_page_tells_how_many_devices_of_several_dies_are_compared():
    (result,) = [result for what, result in cells().items() if "dies a chip" in what]
    found = agreement.chips()
    assert {each.requests for each in found} == {3000} and len(set(found)) == len(found)
    assert f"all {sum(each.requests for each in found):,} response times" in result


LINKED = [
    pytest.param(kernel, each, id=f"{each.seed}-{each.at_once}-{kernel}", marks=[] if is_usual else pytest.mark.more)
    for kernel in ("compiled", "simpy")
    for each in agreement.linked_devices()
    for is_usual in [(kernel, each.seed, each.at_once) == ("compiled", 8, 1)]
]


@pytest.mark.parametrize(("kernel", "theirs"), LINKED)
def test_drawn_devices_behind_its_link_answer_as_mqsim_did(kernel, theirs):
    assert agreement_devices.ours(theirs, agreement_devices.linked(theirs), kernel) == theirs


def test_the_page_tells_how_many_devices_behind_a_link_are_compared():
    (result,) = [result for what, result in cells().items() if "behind its link" in what]
    found = [each.at_once for each in agreement.linked_devices()]
    assert f"all of {found.count(1)} of 40 devices" in result and f"of {found.count(4)} of 6" in result


BURSTS = [
    pytest.param(kernel, each, id=f"{each.seed}-{kernel}", marks=[] if is_usual else pytest.mark.more)
    for kernel in ("compiled", "simpy")
    for each in agreement.bursts()
    for is_usual in [(kernel, each.seed) in {("compiled", 6), ("simpy", 7)}]
]


@pytest.mark.parametrize(("kernel", "theirs"), BURSTS)
def test_bursts_are_answered_as_mqsim_did(kernel, theirs):
    assert agreement_devices.ours(theirs, agreement_devices.bursts(theirs), kernel) == theirs


def test_the_page_tells_how_many_devices_have_bursts():
    (result,) = [result for what, result in cells().items() if "bursts" in what]
    found = agreement.bursts()
    assert {each.requests for each in found} == {3000} and len(set(found)) == len(found)
    assert f"all {sum(each.requests for each in found):,} response times" in result


CACHED = [
    pytest.param(
        kernel,
        each,
        id=f"{each.seed}-{each.at_once}-{kernel}",
        marks=[] if (kernel, each.seed, each.at_once) == ("compiled", 13, 16) else pytest.mark.more,
    )
    for kernel in ("compiled", "simpy")
    for each in agreement.cached_devices()
]


@pytest.mark.parametrize(("kernel", "theirs"), CACHED)
def test_drawn_devices_with_a_dram_answer_as_mqsim_did(kernel, theirs):
    assert agreement_devices.ours(theirs, agreement_devices.cached(theirs), kernel) == theirs


def test_the_page_tells_how_many_devices_with_a_dram_are_compared():
    (result,) = [result for what, result in cells().items() if "in a DRAM" in what]
    found = agreement.cached_devices()
    assert Counter(each.at_once for each in found) == {1: 60, 16: 60} and len(set(found)) == len(found)
    assert f"all {sum(each.requests for each in found):,} response times" in result


COLLECTING = [(kernel, each) for kernel in ("compiled", "simpy") for each in agreement.collecting_devices()]


@pytest.mark.parametrize(
    ("kernel", "theirs"),
    [
        pytest.param(
            *place,
            id=f"{place[1].seed}-{place[0]}",
            marks=[] if place in (COLLECTING[1], COLLECTING[2], COLLECTING[-1]) else pytest.mark.more,
        )
        for place in COLLECTING
    ],
)
def test_drawn_devices_whose_collections_hold_their_channel_answer_as_theirs_did(kernel, theirs):
    assert agreement_devices.ours(theirs, agreement_devices.collecting(theirs), kernel) == theirs


def test_that_devices_collect_while_they_are_read():
    """Where a collection holds its die alone, response times are others."""
    kept = agreement.collecting_devices()[1]
    device = agreement_devices.collecting(kept)
    alone = attrs.evolve(device, more=(*device.more, "flash.collection_holds=die"))
    assert agreement_devices.ours(kept, alone, "compiled") != kept


def test_the_pages_tell_how_many_devices_that_collect_are_compared():
    found = agreement.collecting_devices()
    (result,) = [result for what, result in cells().items() if what.startswith("Collection, SSDSim")]
    assert {each.requests for each in found} == {3000} and f"all of {len(found)} of 40 devices" in result
    page = (PROJECT / "docs" / "pages" / "model" / "agreement.md").read_text(encoding="utf-8")
    differ = [str(seed) for seed in range(1, 41) if seed not in {each.seed for each in found}]
    assert f"seeds {', '.join(differ[:-1])} and {differ[-1]}" in " ".join(page.split())


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
