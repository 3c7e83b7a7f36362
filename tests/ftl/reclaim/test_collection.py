"""What one collection knows: every valid page of its victims, once, in the order of their places."""

from hypothesis import given
from hypothesis import strategies as st

from ssdsim._core.blocks import Blocks
from ssdsim.ftl.reclaim.collection import Collection
from ssdsim.ftl.reclaim.victims import Greedy

PAGES, COUNT = 6, 3


def full_blocks(planes, dead):
    """Return a device with one full block in each plane, of which the pages `dead` are invalid."""
    blocks = Blocks(planes, COUNT, PAGES, Greedy().make_index(planes, COUNT, PAGES, 1))
    victims = [blocks.take_free(plane) for plane in range(planes)]
    for victim in victims:
        for page in range(PAGES):
            blocks.program(blocks.append(victim, page))
    for plane, page in dead:
        blocks.invalidate(victims[plane] * PAGES + page)
    return blocks, victims


@given(st.integers(1, 4), st.sets(st.tuples(st.integers(0, 3), st.integers(0, PAGES - 1))))
def test_all_valid_pages_are_found_place_by_place(planes, dead):
    dead = {(plane, page) for plane, page in dead if plane < planes}
    blocks, victims = full_blocks(planes, dead)
    collection = Collection(0, planes, blocks)
    for place, victim in enumerate(victims):
        collection.victims[place] = victim
    collection.victim_count = planes
    found = []
    while (ppa := collection.next_page()) >= 0:
        assert collection.take_next() == ppa
        found.append(ppa)
    valid = [(page, plane) for page in range(PAGES) for plane in range(planes) if (plane, page) not in dead]
    assert found == [victims[plane] * PAGES + page for page, plane in valid]
    assert collection.valid_pages() == len(valid)


def test_there_is_nothing_left_between_two_collections():
    blocks, _ = full_blocks(1, [])
    collection = Collection(0, 1, blocks)
    assert collection.idle
    assert (collection.next_page(), collection.valid_pages()) == (-1, 0)
