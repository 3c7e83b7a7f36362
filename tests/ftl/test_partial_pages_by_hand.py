"""What crosses the bus when parts of pages are read and written: sums on the tiny device, in nanoseconds."""

import pytest

from support.tiny_device import PAGE

KIB = 1024
PAUSE = 1_000_000
RULES = ("whole_page", "stored", "changed")


def read(size):
    """Return the time of a read that moves `size` bytes."""
    return 100 + 10_000 + size


def program(size):
    """Return the time of a program that moves `size` bytes."""
    return 200 + size + 100_000


def times(run, steps, **flash):
    """Return what each of `steps` takes, each on an idle device: operation, offset and size in KiB."""
    rows = [(at * PAUSE, op, round(offset * KIB), round(size * KIB)) for at, (op, offset, size) in enumerate(steps)]
    return [row["response_ns"] for row in run(rows, {"flash": flash}).requests]


@pytest.mark.parametrize(
    ("rule", "first", "after"), [("whole_page", 4, 4), ("stored", 1, 4), ("changed", 1, 1)], ids=RULES
)
def test_a_part_of_a_page_is_written_first_and_onto_a_full_page(run, rule, first, after):
    """A kilobyte to a page that holds nothing, and to one that is full: three are read then, whatever is programmed."""
    steps = [("write", 5, 1), ("write", 0, 4), ("write", 1, 1)]
    expected = [program(first * KIB), program(PAGE), read(3 * KIB) + program(after * KIB)]
    assert times(run, steps, partial_program=rule) == expected


@pytest.mark.parametrize(("rule", "moved"), [("stored", [1, 2, 2, 3, 4]), ("changed", [1, 1, 2, 1, 4])])
def test_a_page_is_filled_part_by_part(run, rule, moved):
    """Of what is stored only that is read which is not written anew; nothing, where all of it is."""
    steps = [("write", 0, 1), ("write", 1, 1), ("write", 0, 2), ("write", 3, 1), ("write", 0, 4)]
    rest = [0, 1, 0, 2, 0]
    expected = [(read(left * KIB) if left else 0) + program(size * KIB) for left, size in zip(rest, moved, strict=True)]
    assert times(run, steps, partial_program=rule) == expected


@pytest.mark.parametrize(("rule", "moved"), [("requested", [1, 1, 1]), ("stored", [2, 4, 1])])
def test_a_read_moves_what_it_wants_or_what_is_there(run, rule, moved):
    """Of a page of which two kilobytes are stored, of a full one, and of one with a first part after a trim."""
    steps = [
        *(("write", 0, 2), ("read", 1, 1), ("write", 0, 4), ("read", 1, 1)),
        *(("trim", 0, 4), ("write", 2, 1), ("read", 2, 1)),
    ]
    found = times(run, steps, partial_read=rule)
    assert [found[at] for at in (1, 3, 6)] == [read(size * KIB) for size in moved]


REST = read(PAGE - KIB)


@pytest.mark.parametrize(("turn", "order"), [("after_read", [1, 0]), ("on_arrival", [0, 1])])
def test_a_partial_write_takes_its_page_and_its_turn_when_it_is_whole_or_when_it_arrives(run, turn, order):
    """Of a part of page 0 and the whole of page 1, a nanosecond later, both behind the read of the rest of page 0."""
    rows = [(0, "write", 0, 2 * PAGE), (PAUSE, "write", 0, KIB), (PAUSE + 1, "write", PAGE, PAGE)]
    out = run(rows, {"flash": {"partial_write_turn": turn}})
    ends = [PAUSE + REST + (1 + place) * program(PAGE) for place in range(2)]
    assert out.done_at()[1:] == [ends[order.index(0)], ends[order.index(1)]]
    assert [row["lpa"] for row in sorted(out.commands, key=lambda row: (row["block"], row["page"]))[-2:]] == order


def test_until_a_partial_write_is_whole_its_page_is_read_where_it_was_and_later_writes_stand_in_line(run):
    """Neither the read nor the second write wants the other part from memory, which does not have it yet."""
    rows = [
        (0, "write", 0, PAGE),
        *((PAUSE, "write", 0, KIB), (PAUSE + 1, "read", KIB, KIB), (PAUSE + 2, "write", KIB, KIB)),
        (PAUSE + REST + 1, "read", 0, KIB),
    ]
    out = run(rows, {"flash": {"partial_write_turn": "on_arrival"}})
    first = PAUSE + REST + read(KIB) + program(PAGE)
    assert out.done_at()[1:] == [first, PAUSE + REST + read(KIB), first + program(PAGE), PAUSE + REST + 1]
    assert [(row["op"], row["page"]) for row in out.commands] == [
        *(("program", 0), ("read", 0), ("read", 0), ("program", 1), ("program", 2))
    ]
