"""LeaFTL, a mapping of one's own: what segments promise, and what they save and cost on a device."""

from bisect import bisect_right
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.leaftl import GROUP, compacted, insert, learned
from ssdsim import Simulation, preset

ERRORS = st.sampled_from([0, 1, 4, 16])


@st.composite
def batches(draw):
    """Draw batches of pages, by offset, that are written one after another: in a row, at a stride, or anyhow."""
    strides = st.tuples(st.integers(0, 200), st.integers(1, 9), st.integers(1, 60))
    pages = strides.map(lambda drawn: list(range(drawn[0], GROUP, drawn[1]))[: drawn[2]])
    pages |= st.lists(st.integers(0, GROUP - 1), min_size=1, max_size=80, unique=True).map(sorted)
    place, found = 0, []
    for offsets in draw(st.lists(pages, min_size=1, max_size=12)):
        place += draw(st.integers(1, 1000))
        found.append([(offset, place + number) for number, offset in enumerate(offsets)])
        place += len(offsets)
    return found


@given(batches(), ERRORS, st.data())
def test_the_newest_segment_of_a_page_is_off_by_the_error_at_most(writes, error, data):
    levels, truth = [], {}
    for points in writes:
        truth |= dict(points)
        for segment in learned(points, error):
            insert(levels, segment)
        if data.draw(st.booleans()):
            levels = compacted(levels)
        for level in levels:
            assert all(one.end < other.start for one, other in pairwise(level))
        for offset, place in truth.items():
            assert abs(found(levels, offset).place(offset) - place) <= error


def found(levels, offset):
    """Return the topmost segment that speaks for an offset."""
    for level in levels:
        number = bisect_right(level, offset, key=lambda segment: segment.start) - 1
        if number >= 0 and level[number].has(offset):
            return level[number]
    raise AssertionError(offset)


def test_pages_in_a_row_and_at_a_stride_are_one_accurate_segment_each():
    row, stride = [(offset, 50 + offset) for offset in range(GROUP)], [(7 * n, 900 + n) for n in range(30)]
    for points in (row, stride):
        (segment,) = learned(points, 0)
        assert segment.size() == 8
        assert [segment.place(offset) for offset, _ in points] == [place for _, place in points]


def ran(*words):
    """Return the mapping of a small device after a run, and the summary."""
    base = ("hardware=tlc_48m", "buffer=lru", "buffer.size_mib=1", "buffer.footprint_share=null", "integrity=on")
    load = ("workload=synthetic", "workload.requests=3000", "workload.read_share=0.4", "precondition=none")
    leaf = ("ftl.mapping.scheme=experiments.leaftl.LeaFTL", "buffer.replacement=experiments.leaftl.SortedFlush")
    simulation = Simulation(preset("baseline", *base, *load, "ftl.unit=superblock", *leaf, *words))
    simulation.run()
    return simulation.device.mapping.own, simulation.finish().summary


@pytest.mark.parametrize("power_loss", ["null", "0.2"])
def test_a_wider_error_takes_less_memory_and_more_reads(power_loss):
    options = "{{error: {}, batch: 128, superblock: true}}"
    exact, wide = (
        ran(f"ftl.mapping.options={options.format(error)}", f"power_loss.at_s={power_loss}") for error in (0, 16)
    )
    assert exact[1]["mapping"]["wrong_guesses"] == 0 < wide[1]["mapping"]["wrong_guesses"]
    assert wide[0].memory_bytes() < exact[0].memory_bytes()
    for leaf, _ in (exact, wide):
        table = leaf.table.to_numpy()
        for lpa in (table >= 0).nonzero()[0].tolist():
            if lpa not in leaf.recent:
                assert abs(leaf.predicted(lpa) - leaf.place_of(int(table[lpa]))) <= leaf.error
