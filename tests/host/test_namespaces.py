"""Namespaces: where streams have their addresses, that they do not leave them, and that one alone keeps its own."""

import pytest

from ssdsim import ConfigError
from support.requests import flush, write, writes
from support.tiny_device import PAGE, run_streams


def run(host, *streams):
    loads = [{"rows": rows, "queue_depth": 1} for rows in streams]
    return run_streams(loads, {"host": host})


def test_offsets_count_from_the_start_of_the_namespace_of_a_stream():
    host = {"namespace_share": {"third": 0.25, "main": 0.125}}
    out = run(host, [*writes(0, 1), flush()], writes(0, 9), writes(3))
    # Two pages are main's, the next four third's, and the other ten are for second.
    first = {0: 0, 1: 6, 2: 2}
    offsets = [
        (row["stream"], row["offset_bytes"] // PAGE - first[row["stream"]])
        for row in out.requests
        if row["op"] == "write"
    ]
    assert sorted(offsets) == [(0, 0), (0, 1), (1, 0), (1, 9), (2, 3)]


def test_streams_without_a_namespace_share_the_rest():
    out = run({"namespace_share": {"second": 0.5}}, writes(0), writes(0), writes(0))
    assert sorted((row["stream"], row["offset_bytes"] // PAGE) for row in out.requests) == [(0, 8), (1, 0), (2, 8)]


@pytest.mark.parametrize(
    ("host", "told"),
    [
        ({"namespace_share": {"main": 0.125}}, "request 0 at .* offset 8192, size 4096; .* within the 8192 bytes"),
        ({"namespace_share": {"main": 0.7, "second": 0.7}}, r"namespace_share\.second=0\.7: is 45056 bytes in whole"),
        ({"namespace_share": {"main": 0.01}}, r"host\.namespace_share\.main=0\.01: is 0 bytes"),
        ({"namespace_share": {"main": 1.0}}, r"host\.namespace_share: leaves nothing of 65536 bytes for second"),
        ({"namespace_share": {"other": 0.1}}, r"host\.namespace_share\.other: there is no such stream"),
        ({"namespace_share": {"main": 1.5}}, r"host\.namespace_share=.*: must be by stream a number, 1e-9 to 1"),
    ],
)  # fmt: skip
def test_a_namespace_that_cannot_be_is_told(host, told):
    with pytest.raises(ConfigError, match=told):
        run(host, [write(2)], writes(0))


def test_the_others_send_nothing_and_the_device_is_the_same(experiment):
    loads = [
        {"rows": writes(*(i * 7 % 6 for i in range(60))), "queue_depth": 2},
        {"rows": writes(*(i * 5 % 6 for i in range(40)), gap=40_000)},
    ]
    changes = {"host": {"namespace_share": {"main": 0.5}}, "precondition": {"mode": "fill"}}
    whole = experiment(loads, changes)
    for number, name in enumerate(("main", "second")):
        alone = experiment(loads, {**changes, "host": changes["host"] | {"only_stream": name}})
        beside = [row for row in whole.requests if row["stream"] == number]
        assert {row["stream"] for row in alone.requests} == {number} and alone.summary["gc"]["collections"] > 0
        assert [row["offset_bytes"] for row in alone.requests] == [row["offset_bytes"] for row in beside]
        assert sum(row["response_ns"] for row in alone.requests) < sum(row["response_ns"] for row in beside)
