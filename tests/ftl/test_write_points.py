"""SPD's invariant: the write points of all planes of a die are equal at every instant, looked at after every event."""

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.rows import UNITS, loads, watched, write_points

BY_ROWS = [unit for unit in UNITS if unit != "page"]


def are_equal(seen):
    """Look whether all planes stand at the same page."""
    points = write_points(seen)
    assert all(len(set(row)) == 1 for row in points), points


def are_a_row_apart_at_most(seen):
    """Look whether planes differ by a page at most, the first ones being ahead."""
    points = write_points(seen)
    assert all(row == sorted(row, reverse=True) and row[0] - row[-1] <= 1 for row in points), points


def super_pages_lie_whole(seen):
    """Look whether each super page lies in one row, all of it, or holds nothing, all of it."""
    blocks = seen.blocks
    places = seen.mapping.table.to_numpy().reshape(-1, blocks.span)
    mapped = np.sort(places[(places >= 0).any(axis=1)])
    of_plane = blocks.blocks_per_plane * blocks.pages_per_block
    assert (mapped == mapped[:, :1] + of_plane * np.arange(blocks.span)).all()
    assert (mapped[:, 0] // of_plane % blocks.span == 0).all()


PROMISES = [(unit, are_equal) for unit in BY_ROWS] + [("page", are_a_row_apart_at_most)]


@settings(max_examples=settings.default.max_examples // 10)
@pytest.mark.parametrize(("unit", "promise"), [*PROMISES, ("super_page", super_pages_lie_whole)])
@given(data=st.data())
def test_at_every_instant(unit, promise, data):
    rows, changes = data.draw(loads(unit))
    with pytest.MonkeyPatch.context() as monkeypatch:
        out = watched(monkeypatch, sys.modules, rows, changes, promise)
    if out.summary["flash"]["programs"]["host"] and changes["ftl"]["bac"] and promise is are_equal:
        assert out.summary["multi_plane"]["write_share"] == 1
