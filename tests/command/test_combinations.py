"""The matrix of what goes with what: what it says runs does, and what it refuses has a reason that names both keys."""

import random
import re
from itertools import product

import attrs
import pytest

from ssdsim import ConfigError, simulate
from ssdsim.command import combinations
from ssdsim.command.combinations import RUNS, STACK, Trials, axes, changed, chosen_axes, values
from ssdsim.command.compose import session
from ssdsim.config import SyntheticConfig
from ssdsim.config.registry import AXES

LOAD = SyntheticConfig(requests=60, read_share=0.3, queue_depth=8, size_kib=8)


@pytest.fixture(scope="module")
def verdicts():
    """Every pair of values with what is said about it, and the trials that found out."""
    with session():
        trials = Trials()
        pairs = [
            {first: one, second: other}
            for first, second in chosen_axes([])
            for one, other in product(values(first), values(second))
        ]
        return trials, [(pair, trials.verdict(pair)) for pair in pairs]


def test_every_value_of_every_axis_runs_with_most_others(verdicts):
    _, found = verdicts
    assert sum(verdict == RUNS for _, verdict in found) > 0.8 * len(found) > 1000
    with session():
        for axis in axes():
            for value in values(axis):
                assert any(verdict == RUNS for pair, verdict in found if pair.get(axis) == value), (axis, value)


def test_nothing_that_is_said_to_run_is_refused(verdicts):
    """Of those pairs, some drawn at random are given requests."""
    trials, found = verdicts
    running = [pair for pair, verdict in found if verdict == RUNS]
    with session():
        for pair in random.Random(1).sample(running, 60):
            config = attrs.evolve(trials.config(pair), workload=LOAD, check="always", integrity="on")
            summary = simulate(config).summary
            assert sum(of["count"] for of in summary["requests"].values()) == LOAD.requests, pair
            for axis, value in pair.items():
                if axis != STACK:
                    assert str(combinations.value_of(config, axis)).lower() == value.lower()


def test_each_reason_names_the_two_keys_and_is_a_sentence(verdicts):
    _, found = verdicts
    for pair, verdict in found:
        if verdict == RUNS:
            continue
        assert verdict.endswith(".") and len(re.findall(r"\b[a-z_]+(?:\.[a-z_]+)+=", verdict)) >= 2, verdict
        for axis, value in pair.items():
            assert axis == STACK or f"{axis}={value}" in verdict, (pair, verdict)


def test_no_pair_is_for_lack_of_room(verdicts):
    """The device is large enough, so that reasons are of principle."""
    assert [verdict for _, verdict in verdicts[1] if "blocks of data" in verdict] == []


def test_names_are_those_of_the_registry():
    with session():
        for key in set(AXES) & set(axes()) - {"ftl.plane_allocation"}:
            assert values(key) == list(AXES[key].named)
        orders = ["CWDP", "round_robin", "f", "d", "f2", "token", "chip", "by_stream", "by_stream_static"]
        assert values("ftl.plane_allocation") == orders
        assert "spd_plus" in values(STACK) and values("ftl.gc.moves") == [
            "controller",
            "copyback",
            "rows",
            "parallel",
            "chip",
        ]


def test_a_section_is_changed_at_dotted_keys(tiny):
    made = changed(tiny(), {"ftl.gc.moves": "rows", "ftl.unit": "twin", "seed": 5})
    assert (made.ftl.gc.moves, made.ftl.unit, made.seed, made.host) == ("rows", "twin", 5, tiny().host)


@pytest.mark.parametrize(
    "asked", [["ftl.gc.moves", "ftl.mapping.scheme"], ["gc.moves", "mapping.scheme"], ["moves", "scheme"]]
)
def test_an_axis_is_named_by_its_key_or_the_end_of_it(asked):
    assert chosen_axes(asked) == [("ftl.gc.moves", "ftl.mapping.scheme")]


def test_help_and_refusals_name_axes_by_their_keys(capsys):
    with pytest.raises(SystemExit):
        combinations.main(["--help"])
    page = " ".join(capsys.readouterr().out.split())
    with pytest.raises(ConfigError) as refusal:
        chosen_axes(["backup"])
    for axis in axes():
        assert f" {axis}" in page and f" {axis}" in str(refusal.value)


def test_no_two_axes_end_alike():
    assert len({axis.rpartition(".")[2] for axis in axes()}) == len(axes())


def test_the_command_prints_one_table(cli):
    done = cli("--combinations", "moves", "ftl.unit")
    lines = done.out.splitlines()
    assert done.status == 0 and all(len(line) <= 120 for line in lines)
    assert lines[0] == "ftl.gc.moves by ftl.unit"
    assert lines[1].split() == ["block", "twin", "die", "super_page", "superblock"]
    assert lines[2].split() == ["controller", "runs", "runs", "(1)", "(2)", "runs"]
    assert lines[7].startswith("  (1) ftl.")


def test_rows_are_the_axis_of_more_values_and_each_reason_is_told_once(monkeypatch):
    """Of a stand-in that has two reasons: not on twins, and not at random."""

    def verdict(self, pair):
        if pair["ftl.gc.victim"] == "random":
            return "Not at random."
        return "Not on twins." if pair["ftl.unit"] == "twin" else RUNS

    monkeypatch.setattr(Trials, "verdict", verdict)
    with session():
        table = list(combinations.matrix(["unit", "victim"]))
    assert table == list(combinations.matrix(["victim", "unit"]))
    assert (table[0], table[1].split()) == (
        "ftl.gc.victim by ftl.unit",
        ["block", "twin", "die", "super_page", "superblock"],
    )
    cells = {row.split()[0]: row.split()[1:] for row in table[2:8]}
    plain = ["runs", "(1)", "runs", "runs", "runs"]
    runs = dict.fromkeys(("greedy", "greedy_in_order", "rga", "fifo", "cost_benefit"), plain)
    assert cells == runs | {"random": ["(2)"] * 5}
    assert table[8:] == ["  (1) Not on twins.", "  (2) Not at random.", ""]


@pytest.mark.parametrize("step", ["check_limits", "Device"])
def test_what_the_rules_allow_runs_only_if_it_has_room_and_has_been_built(monkeypatch, step):
    def refuse(config):
        raise ConfigError("hardware.blocks_per_plane=32: there is no room.")

    monkeypatch.setattr(combinations, step, refuse)
    with session():
        assert "no room" in Trials().verdict({"ftl.unit": "twin", "ftl.gc.victim": "greedy"})


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (["backup"], "takes two axes, or none for all; they are ftl.unit"),
        (["backup", "ftl.backup"], "takes two axes"),
        (["backup", "victims"], "victims: is no axis; they are .*did you mean 'victim'"),
    ],
)
def test_what_is_no_pair_of_axes_is_refused(asked, message):
    with session(), pytest.raises(ConfigError, match=message):
        chosen_axes(asked)
