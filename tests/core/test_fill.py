"""Filling at memory speed, and that the recount finds what is wrong."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdsim._core.blocks import Blocks
from ssdsim._core.fill import fill_planes, shuffled
from ssdsim._core.random import RandomStream
from ssdsim._core.recount import recount
from ssdsim._core.table import IndexTable
from ssdsim._core.victim_index import ValidCountBuckets


def filled(seed, planes, blocks, pages, logical, full, valid, wanted=None, span=1, together=1):
    """Return filled blocks and their mapping; `span` planes make up a unit, `together` of them hold super pages."""
    index = ValidCountBuckets(planes // span, blocks, pages * span)
    made = Blocks(planes, blocks, pages, index, span=span)
    mapping = IndexTable(logical * planes)
    random = RandomStream(seed, "test")
    units, places = planes // span, planes // together
    taken = [np.array([made.take_free(unit) % blocks for _ in range(full)], np.int64) for unit in range(units)]
    for place in range(places):
        plane = (places - 1 - place) * together
        numbers = np.arange(place, logical * places, places)
        fill_planes(made, mapping, plane, together, numbers, taken[plane // span], valid, random, wanted)
    return made, mapping


@given(st.data())
def test_a_plane_is_filled_as_asked(data):
    planes, blocks = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 6))
    pages = data.draw(st.sampled_from([1, 3, 64, 65]))
    full = data.draw(st.integers(0, blocks))
    logical = data.draw(st.integers(1, blocks * pages))
    valid = data.draw(st.integers(0, min(logical, full * pages)))
    made, mapping = filled(data.draw(st.integers(0, 99)), planes, blocks, pages, logical, full, valid)
    assert recount(made, mapping) is None
    for plane in range(planes):
        of_plane = slice(plane * blocks, (plane + 1) * blocks)
        assert made.column("valid")[of_plane].sum() == valid
        assert made.column("programmed")[of_plane].sum() == full * pages
        assert made.free_blocks(plane) == blocks - full
        mapped = mapping.to_numpy()[planes - 1 - plane :: planes]
        mapped = mapped[mapped >= 0]
        assert len(mapped) == valid
        assert (mapped // (blocks * pages) == plane).all()


@given(st.data())
def test_super_pages_are_filled_whole_and_in_a_row(data):
    """Consecutive pages lie at the same block and page offset in all planes of a die, or hold nothing, all of them."""
    span, dies, blocks = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 3)), data.draw(st.integers(1, 5))
    pages = data.draw(st.sampled_from([1, 3, 65]))
    full = data.draw(st.integers(0, blocks))
    logical = data.draw(st.integers(1, blocks * pages))
    valid = data.draw(st.integers(0, min(logical, full * pages)))
    seed = data.draw(st.integers(0, 99))
    made, mapping = filled(seed, dies * span, blocks, pages, logical, full, valid, span=span, together=span)
    assert recount(made, mapping) is None
    of_plane = blocks * pages
    rows = mapping.to_numpy().reshape(-1, span)
    assert ((rows >= 0).all(axis=1) | (rows < 0).all(axis=1)).all()
    rows = rows[rows[:, 0] >= 0]
    assert (rows == rows[:, :1] + of_plane * np.arange(span)).all()
    assert (rows[:, 0] // of_plane % span == 0).all()
    assert made.column("valid").reshape(dies * span, blocks).sum(axis=1).tolist() == [valid] * dies * span
    assert [made.dead_pages(unit) for unit in range(dies)] == [(full * pages - valid) * span] * dies


@given(st.integers(0, 99), st.lists(st.booleans(), min_size=40, max_size=40))
def test_wanted_pages_come_first(seed, marks):
    wanted = np.array(marks, np.uint8)
    valid = max(int(wanted[0::2].sum()), int(wanted[1::2].sum()))
    _, mapping = filled(seed, 2, 8, 4, 20, 6, valid, wanted)
    assert (mapping.to_numpy()[wanted > 0] >= 0).all()
    assert np.count_nonzero(mapping.to_numpy() >= 0) == 2 * valid


def test_pages_and_places_are_drawn_alike():
    """Each logical page and each physical place is used in half of the fills that make half of them valid."""
    runs, logical = 400, 16
    used, places = np.zeros(logical), np.zeros(32)
    for seed in range(runs):
        _, mapping = filled(seed, 1, 8, 4, logical, 8, logical // 2)
        mapped = mapping.to_numpy()
        used += mapped >= 0
        places[mapped[mapped >= 0]] += 1
    assert np.abs(used - runs / 2).max() < 5 * np.sqrt(runs / 4)
    assert np.abs(places - runs / 4).max() < 5 * np.sqrt(runs * 3 / 16)


def test_numbers_far_apart_are_drawn_alike():
    """In each of 40 positions each of 40 numbers, of runs as many times as comes of chance."""
    runs, count = 4000, 40
    random = RandomStream(2, "test")
    drawn = np.zeros((count, count))
    for _ in range(runs):
        drawn[np.arange(count), shuffled(count, random).to_numpy()] += 1
    assert np.abs(drawn - runs / count).max() < 6 * np.sqrt(runs / count)


def swap_two(made, mapping):
    one, two = np.flatnonzero(mapping.to_numpy() >= 0)[:2]
    mapping.set(one, mapping.swap(two, mapping.get(one)))


def forget_a_page(made, mapping):
    ppa = mapping.get(np.flatnonzero(mapping.to_numpy() >= 0)[0])
    made.spare.set(ppa, -1)


def lose_validity(made, mapping):
    made.invalidate(mapping.get(np.flatnonzero(mapping.to_numpy() >= 0)[0]))


@pytest.mark.parametrize("span", [1, 2])
@pytest.mark.parametrize(
    ("damage", "found"),
    [
        (swap_two, "which is not mapped to it"),
        (forget_a_page, "is marked valid for logical page -1"),
        (lose_validity, "logical pages are mapped but"),
    ],
)
def test_the_recount_finds_what_is_wrong(damage, found, span):
    made, mapping = filled(1, span, 8, 4, 16, 6, 13, span=span)
    assert recount(made, mapping) is None
    damage(made, mapping)
    assert found in recount(made, mapping)
