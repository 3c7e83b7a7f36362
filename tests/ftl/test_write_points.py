"""SPD's invariant: the write points of all planes of a die are equal at every instant, looked at after every event."""

import sys
from functools import partialmethod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ssdsim.host.request import WriteGroup
from support.rows import UNITS, device, loads, watched, write_points
from support.tiny_device import PAGE

BY_ROWS = [unit for unit in UNITS if unit != "page"]


def are_equal(seen):
    """Look whether all planes stand at the same page."""
    points = write_points(seen)
    assert all(len(set(row)) == 1 for row in points), points


def are_a_row_apart_at_most(seen):
    """Look whether planes differ by a page at most, the first ones being ahead."""
    points = write_points(seen)
    assert all(row == sorted(row, reverse=True) and row[0] - row[-1] <= 1 for row in points), points


@settings(max_examples=settings.default.max_examples // 10)
@pytest.mark.parametrize("unit", BY_ROWS)
@given(data=st.data())
def test_the_planes_of_a_die_stand_at_the_same_page_at_every_instant(unit, data):
    rows, changes = data.draw(loads(unit))
    with pytest.MonkeyPatch.context() as monkeypatch:
        out = watched(monkeypatch, sys.modules, rows, changes, are_equal)
    programs = out.summary["flash"]["programs"]
    if programs["host"] and changes["ftl"]["bac"]:
        assert out.summary["multi_plane"]["write_share"] == 1


@settings(max_examples=settings.default.max_examples // 5)
@given(loads("page"))
def test_pages_written_one_by_one_keep_them_within_a_page(drawn):
    rows, changes = drawn
    with pytest.MonkeyPatch.context() as monkeypatch:
        watched(monkeypatch, sys.modules, rows, changes, are_a_row_apart_at_most)


def super_pages_lie_whole(seen):
    """Look whether each super page lies in one row, all of it, or holds nothing, all of it."""
    blocks = seen.blocks
    places = seen.mapping.table.to_numpy().reshape(-1, blocks.span)
    mapped = np.sort(places[(places >= 0).any(axis=1)])
    of_plane = blocks.blocks_per_plane * blocks.pages_per_block
    assert (mapped == mapped[:, :1] + of_plane * np.arange(blocks.span)).all()
    assert (mapped[:, 0] // of_plane % blocks.span == 0).all()


@settings(max_examples=settings.default.max_examples // 5)
@given(loads("super_page"))
def test_a_super_page_always_lies_whole_in_a_row(drawn):
    rows, changes = drawn
    with pytest.MonkeyPatch.context() as monkeypatch:
        watched(monkeypatch, sys.modules, rows, changes, super_pages_lie_whole)


def singly():
    """Return writes of single pages at random, and flushes of what there is, that have the device collect."""
    random = np.random.default_rng(2)
    rows = [(number * 300_000, "write", page * PAGE, PAGE) for number, page in enumerate(random.integers(0, 32, 300))]
    return [row for each in rows for row in ([each] if random.random() < 0.6 else [each, (each[0], "flush", 0, 0)])]


def moved_without_padding(self, original, die, kind, moved, new):
    if die.number == 0:
        original(self, die, kind, moved, new)
        return
    for _ in range(moved):
        self.port.place(die, die.pages[kind].pop(0), die.plane, kind)


def written_without_padding(self, original, group, plane):
    if plane == 0:
        original(self, group, plane)
    else:
        self.place_beside(group.members, plane, 0)


def written_without_the_rest(self, original, request, first, last):
    group = WriteGroup(last - first + 1)
    for lpa in range(first, last + 1):
        self.order.write(request, lpa, request.bytes_of(lpa, self.page_bytes), group)


@pytest.mark.parametrize(
    ("unit", "module", "cls", "method", "broken"),
    [
        ("die", "ssdsim.ftl.reclaim.moves.die", "DieMoves", "write_row", moved_without_padding),
        ("die", "ssdsim.ftl.rows", "RowWrites", "place_waiting", written_without_padding),
        ("super_page", "ssdsim.ftl.layer", "FlashTranslationLayer", "write_together", written_without_the_rest),
    ],
)
def test_the_look_finds_rows_that_are_not_completed(monkeypatch, interpreted, unit, module, cls, method, broken):
    """Moved ones and the host's, in the second of two dies alone, and super pages whose rest is not written along."""
    dies = {"dies_per_chip": 2}
    changes = device(unit, buffer=0 if unit == "super_page" else 4, hardware=dies, ftl={"gc": {"victim": "random"}})
    look = super_pages_lie_whole if unit == "super_page" else are_equal
    watched(monkeypatch, interpreted, singly(), changes, look)
    changed = getattr(interpreted[module], cls)
    monkeypatch.setattr(changed, method, partialmethod(broken, getattr(changed, method)))
    with pytest.raises(AssertionError, match=None if unit == "super_page" else r"^\[\["):
        watched(monkeypatch, interpreted, singly(), changes, look)
