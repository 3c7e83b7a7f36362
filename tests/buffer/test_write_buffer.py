"""The write buffer: by hand on a whole device, and over a translation layer that takes its time as it likes."""

import pytest

from support.requests import read, write
from support.tiny_device import PAGE, READ_PAGE, TRANSFER, WRITE_PAGE, buffered
from support.tiny_device import READ as READ_NS

LATER = 1_000_000


def test_a_write_is_complete_when_the_buffer_has_it(run):
    out = run([write(0), write(1), read(1)], buffered(2))
    assert out.done_at() == [0, 0, 0]
    assert out.commands == []
    assert out.summary["buffer"] == {"hit_ratio": pytest.approx(1 / 3), "read_hits": 1, "write_hits": 0}


def test_a_full_buffer_writes_its_oldest_page_to_flash_first(run):
    out = run([write(0), write(1), write(0), write(2)], buffered(2))
    assert out.done_at() == [0, 0, 0, WRITE_PAGE]
    assert [row["lpa"] for row in out.commands] == [1]


def test_with_write_complete_at_the_end_of_the_transfer_a_slot_is_free_then(run):
    out = run([write(0), write(1)], buffered(1) | {"flash": {"write_complete": "transfer_end"}})
    assert out.done_at() == [0, 200 + TRANSFER]


def test_only_what_the_buffer_lacks_is_read_from_flash(run):
    rows = [write(0), write(1), write(2), read(0, LATER, pages=3), read(0, 2 * LATER)]
    out = run(rows, buffered(2))
    assert out.done_at()[3:] == [LATER + READ_PAGE, 2 * LATER + READ_PAGE]
    assert [row["lpa"] for row in out.commands if row["op"] == "read"] == [0, 0]
    parts = [out.requests[3][f"{name}_ns"] for name in ("queue", "bus", "array", "gc")]
    assert parts == [0, 100 + TRANSFER, READ_NS, 0]


def test_parts_of_a_page_come_together_in_the_buffer(run):
    half = PAGE // 2
    out = run([write(0), write(1), (LATER, "write", 0, half), write(1, LATER)], buffered(1))
    assert [row["op"] for row in out.commands if row["lpa"] == 0] == ["program", "read", "program"]
    both = [(LATER, "write", 0, half), (LATER, "write", half, half)]
    out = run([write(0), write(1), *both, write(1, LATER)], buffered(1))
    assert [row["op"] for row in out.commands if row["lpa"] == 0] == ["program", "program"]


def test_a_write_does_not_overtake_a_trim_of_its_page_that_waits(run):
    out = run([write(0), write(1), write(2), (0, "trim", PAGE, PAGE), write(1), read(1, LATER)], buffered(2))
    assert out.done_at() == [0, 0, WRITE_PAGE, WRITE_PAGE, 2 * WRITE_PAGE, LATER]
    assert out.summary["unmapped_reads"] == 0


def trimmed_under_way(*more):
    """Overwrite part of a page, and trim it while the rest is read for the write that the buffer has begun."""
    again = [(LATER, "write", 0, 512), (LATER, "flush", 0, 0), (LATER + 1, "trim", 0, PAGE), *more]
    return [write(0), (0, "flush", 0, 0), *again, read(0, LATER + 2)]


@pytest.mark.parametrize("partial_write", ["read_modify_write", "pad"])
def test_a_trim_under_way_leaves_nothing_older_than_what_the_buffer_forgets(run, partial_write):
    out = run(trimmed_under_way(), {**buffered(2), "ftl": {"partial_write": partial_write}})
    rest = READ_PAGE - 512 if partial_write == "read_modify_write" else 0
    assert out.done_at()[3:] == [LATER + rest + WRITE_PAGE, LATER + max(rest, 1), LATER + 2]
    assert out.summary["unmapped_reads"] == 1


@pytest.mark.parametrize("capacitor", [True, False])
def test_a_loss_of_power_undoes_a_trim_under_way(run, capacitor):
    """What the buffer forgot for it was newer than the page in flash, which is there again."""
    cut = {"power_loss": {"at_s": (LATER + 5) / 1e9, "capacitor": capacitor}, "integrity": "on"}
    out = run(trimmed_under_way(), {**buffered(2), "ftl": {"partial_write": "read_modify_write"}, **cut})
    assert out.summary["power_loss"]["trims_undone"] == 1
    assert out.summary["power_loss"]["lost_acknowledged"] == out.summary["power_loss"]["lost_buffered"] == 0


def test_a_flush_waits_until_the_buffer_is_in_flash(run):
    out = run([write(0), write(1), (0, "flush", 0, 0), write(2, 10)], buffered(2))
    assert out.done_at() == [0, 0, 2 * WRITE_PAGE, WRITE_PAGE]
