"""SATA's one queue, by times worked out by hand."""

from support.requests import flush, write, writes
from support.tiny_device import PAGE, WRITE_PAGE

SATA = {"host": {"interface": "sata"}, "hardware": {"channels": 4}, "check": "recount"}


def test_a_flush_and_a_trim_go_alone(run):
    out = run([*writes(0, 1), flush(), write(2), (0, "trim", 0, PAGE), write(3)], SATA)
    # Both writes at once, then the flush, which finds nothing to do, a write, the trim, and another write.
    assert [row["admitted_ns"] for row in out.requests] == [
        0,
        0,
        WRITE_PAGE,
        WRITE_PAGE,
        2 * WRITE_PAGE,
        2 * WRITE_PAGE,
    ]
    assert out.done_at() == [WRITE_PAGE, WRITE_PAGE, WRITE_PAGE, 2 * WRITE_PAGE, 2 * WRITE_PAGE, 3 * WRITE_PAGE]


def test_another_stream_waits_for_what_goes_alone(experiment):
    first = [write(0), flush(), write(1)]
    out = experiment([{"rows": first, "queue_depth": 1}, {"rows": writes(*range(2, 6)), "queue_depth": 1}], SATA)
    # Two writes, one of each stream; the flush, alone; then a write of each, while there are any.
    assert [(row["stream"], row["admitted_ns"] // WRITE_PAGE) for row in out.requests] == [
        *[(0, 0), (1, 0), (0, 1), (1, 1), (0, 1), (1, 2), (1, 3)],
    ]


def test_there_are_32_commands_at_most(run):
    out = run([(0, "write", 0, PAGE)] * 40, SATA | {"hardware": {"channels": 40}, "host": SATA["host"]})
    assert out.summary["queue_depth"]["max"] == 32
