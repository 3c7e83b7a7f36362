"""A stream that alone sends requests has the device and the namespace that it has beside others."""

from support.requests import writes


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
