"""Searches: what Optuna chooses among, what it is told, and that a search goes on where it was stopped."""

import json
from pathlib import Path

import pytest

pytest.importorskip("optuna")

WORDS = ["seed=7", "--jobs", "1", "--minimize", "iops", "hydra.run.dir=found"]


def test_the_best_of_all_points_is_found(cli, simulator):
    """IOPS are a thousand times the seed, and queue depths of no matter: the first point is as good as any."""
    done = cli("search", *WORDS, "host.queue_depth=8,16", "--trials", "3")
    assert done.status == 0
    assert "7,000" in done.out.replace("7000", "7,000") and "3 points were tried, of which 3 count." in done.out
    assert {config.host.queue_depth for config in simulator.configs} <= {8, 16}
    assert json.loads(Path("found", "0", "summary.json").read_text())["iops"] == 7000


@pytest.mark.parametrize(
    ("override", "low", "high", "kind"),
    [
        ("host.queue_depth=interval(3,80)", 3, 80, int),
        ("hardware.over_provisioning=interval(0.2,0.4)", 0.2, 0.4, float),
        ("host.queue_depth=range(4,6)", 4, 5, int),
    ],
)
def test_points_lie_within_what_is_given(cli, simulator, override, low, high, kind):
    assert cli("search", *WORDS, override, "--trials", "4").status == 0
    section, _, key = override.partition("=")[0].partition(".")
    found = [getattr(getattr(config, section), key) for config in simulator.configs]
    assert len(found) == 4 and all(type(value) is kind and low <= value <= high for value in found)


def test_a_search_that_was_stopped_goes_on_and_ends_with_as_many_points(cli, simulator):
    simulator.failures[7] = KeyboardInterrupt()
    words = ["search", *WORDS, "host.queue_depth=interval(3,80)", "--trials"]
    assert cli(*words, "3").status == 130
    simulator.failures.clear()
    done = cli(*words, "3")
    assert done.status == 0 and "3 points were tried, of which 3 count." in done.out
    depths = [config.host.queue_depth for config in simulator.configs]
    assert len(depths) == 4
    assert cli(*words, "5").status == 0 and len(simulator.configs) == 6


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["seed=1,2", "--minimize", "iops"], "something to choose but the seed"),
        (["host.queue_depth=interval(9,3)", "--minimize", "iops"], "host.queue_depth=interval(9,3): "),
    ],
)
def test_what_makes_no_search_is_told_in_a_sentence(cli, simulator, words, told):
    done = cli("search", *words)
    assert done.status == 2 and told in done.err and done.err.count("\n") == 1
    assert simulator.configs == []


def test_a_folder_holds_one_search(cli, simulator):
    assert cli("search", *WORDS, "host.queue_depth=8,16", "--trials", "1").status == 0
    other = ("search", *WORDS, "host.queue_depth=8,32", "--trials", "1")
    refused = cli(*other)
    assert refused.status == 2 and "found: is not empty" in refused.err and len(simulator.configs) == 1
    assert cli(*other, "overwrite=true").status == 0
    with Path("found", "search.log").open("a") as log:
        log.write("damage\n")
    refused = cli(*other)
    assert refused.status == 2 and "search.log: is damaged" in refused.err and refused.err.count("\n") == 1
    assert cli(*other, "overwrite=true").status == 0
