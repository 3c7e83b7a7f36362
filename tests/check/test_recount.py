"""`check=summary`: every figure of a summary is counted again from the tables, and one that is off is told."""

from collections.abc import Sequence
from functools import cache
from math import inf

import attrs
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings

from ssdsim import ConfigError
from ssdsim.check.recount import differences
from ssdsim.check.recount.claims import Between
from ssdsim.check.recount.requests import most_at_a_time
from ssdsim.config import PowerLossConfig, PreconditionConfig, SyntheticConfig, TraceConfig
from ssdsim.errors import SimulationError
from ssdsim.metrics.fields import SUMMARY, leaves
from ssdsim.run.recounting import Recount
from ssdsim.run.simulation import Simulation, simulate
from support.recount_left_out import LEFT_OUT
from support.requests import writes
from support.small_devices import STACKS, load, mixed, small
from support.strategies import experiments, power_losses
from support.thinned import thinned
from support.tiny_device import RequestList, run_streams

LOSSES = {"no": {}, "plain": {"after_programs": 170}, "capacitor": {"after_programs": 170, "capacitor": True}}


def checked(stack, loss="no", count=260, seed=3, **given):
    """Return a run of some hundred requests of three streams on a small device, to be recounted."""
    config = load(small(stack), count, seed=seed, **given)
    others = {
        "open": RequestList(rows=[(at * 90_000, *row[1:]) for at, row in enumerate(mixed(config, 60, seed=7))]),
        "closed": RequestList(rows=mixed(config, 40, seed=8), queue_depth=2),
    }
    lost = dict(LOSSES[loss])
    if lost and config.ftl.unit == "super_page":
        lost["after_programs"] *= 2  # so many more pages are written
    return attrs.evolve(config, workloads=others, check="summary", power_loss=PowerLossConfig(**lost))


class Counted:
    """A run that is over, its summary, and what a recount says of it."""

    def __init__(self, config):
        run = Simulation(config)
        run.run()
        kept = []
        run.recount.fault = lambda summary, tables: kept.extend(Recount.counted(run.recount, summary, tables))
        self.summary, self.claims = dict(run.finish().summary), kept

    def names(self):
        """Return the fields that anything is said of."""
        return {name for claim in self.claims for name in claim.names}


@cache
def counted(stack, loss):
    """Return the run of a stack, and what was counted."""
    return Counted(checked(stack, loss))


CASES = [(stack, loss) for stack in STACKS for loss in LOSSES]


@pytest.mark.parametrize(("stack", "loss"), thinned(0.34, CASES))
def test_every_figure_of_every_stack_is_that_of_the_tables(stack, loss):
    run = counted(stack, loss)
    assert list(differences(run.summary, run.claims)) == []
    assert run.summary["requests"]["write"]["count"] > 100
    if loss != "no":
        assert run.summary["power_loss"]["at_s"] > 0


@settings(max_examples=settings.default.max_examples // 2)
@given(experiments())
def test_any_device_counts_as_its_tables_do(drawn):
    device, loads = drawn
    run_streams(loads, device | {"check": "summary", "integrity": "off", "metrics": {"blame": True}})


@settings(max_examples=settings.default.max_examples // 4)
@given(experiments(), power_losses())
def test_any_device_that_loses_power_counts_as_its_tables_do(drawn, loss):
    device, loads = drawn
    try:
        given = {"check": "summary", "integrity": "off", "power_loss": loss, "metrics": {"blame": True}}
        run_streams(loads, device | given)
    except ConfigError:
        return  # it cannot be brought back, and that is said


def test_a_command_that_the_run_leaves_unfinished_in_the_instant_of_a_loss_of_power_was_not_destroyed_by_it():
    """Nothing takes time here, not even the reboot; the last write fills a block, and another one is being erased."""
    times = {"read_us": [0.0], "program_us": [0.0], "erase_us": 0.0, "bus_ns_per_byte": 0.0}
    commands = dict.fromkeys(("read_command_us", "program_command_us", "erase_command_us"), 0.0)
    device = {"hardware": times | commands, "power_loss": {"after_programs": 3}}
    rows = writes(*(number % 16 for number in range(30)))
    out = run_streams([{"rows": rows, "queue_depth": 1}], device | {"check": "summary", "integrity": "off"})
    assert out.summary["power_loss"]["destroyed_erases"] == 0


# That it finds what is off.


def off(value):
    """Yield values near `value` that are wrong."""
    if isinstance(value, list):
        for at, each in enumerate(value):
            yield from ([*value[:at], wrong, *value[at + 1 :]] for wrong in off(each))
        yield [*value, 1.0]
    elif value is None:
        yield 1
    elif isinstance(value, int):
        yield from (value + 1, value - 1)
    else:
        yield from (value * (1 + 1e-6) + 1e-9, value * (1 - 1e-6) - 1e-9)


def put(summary, name, value):
    """Return `summary` with another value of one field."""
    head, _, rest = name.partition(".")
    if isinstance(summary, list):
        at = int(head)
        return [*summary[:at], put(summary[at], rest, value) if rest else value, *summary[at + 1 :]]
    return summary | {head: put(summary[head], rest, value) if rest else value}


def value_at(summary, name):
    for part in name.split("."):
        summary = summary[int(part)] if isinstance(summary, list) else summary[part]
    return summary


def beyond(claim, value):
    """Yield values of a field that a claim must not let pass: near ones, or such as lie beyond what it allows."""
    if isinstance(claim.value, Between):
        slack = 1e-6 * (abs(claim.value.low) + 1)
        yield claim.value.low - slack - 1
        if claim.value.high < inf:
            yield claim.value.high + slack + 1
    else:
        yield from off(value)


@pytest.mark.parametrize(("stack", "loss"), [("baseline", "no"), ("spd_plus", "no"), ("dftl", "plain"), ("fast", "no")])
def test_each_figure_that_is_off_is_told_by_its_name(stack, loss):
    run = counted(stack, loss)
    assert len(run.claims) > 300
    for claim in run.claims:
        name = claim.names[0]
        value = value_at(run.summary, name)
        if len(claim.names) > 1 and value is None:
            continue
        for wrong in beyond(claim, value):
            told = list(differences(put(run.summary, name, wrong), [claim]))
            assert len(told) == 1 and told[0].startswith(" + ".join(claim.names)), (name, value, wrong)
            assert " in the summary, but " in told[0]


def test_a_figure_that_is_off_ends_the_run_with_its_name_and_both_values(monkeypatch, tmp_path):
    from ssdsim.run.measurement import Measurement

    def sabotaged(self, recorder):
        return put(original(self, recorder), "gc.page_moves", 7777)

    original = Measurement.summary
    monkeypatch.setattr(Measurement, "summary", sabotaged)
    config = load(small("baseline"), 60)
    simulate(config, tmp_path / "unchecked")
    sentence = r"^check: gc\.page_moves is 7777 in the summary, but \d+ by the tables of requests and commands\.$"
    with pytest.raises(SimulationError, match=sentence):
        simulate(attrs.evolve(config, check="summary"), tmp_path / "checked")
    written = pq.read_table(tmp_path / "checked" / "planes.parquet")
    assert len(written) == config.hardware.planes  # the folder is there to be looked at


# That nothing is forgotten.


def entry(name):
    return next(field for field in SUMMARY if field.covers(name))


def test_every_field_is_counted_or_stands_on_the_list_with_the_reason():
    met, missed = set(), set()
    for stack in ("baseline", "dftl", "fast", "spd_plus", "flex_ftl"):
        for loss in ("no", "plain"):
            run = counted(stack, loss)
            names = run.names()
            for name, _ in leaves(run.summary):
                (met if name in names else missed).add(entry(name).name)
    left = {name for name in missed - met if not name.startswith(("workload.", "workloads"))}
    assert sorted(left - LEFT_OUT.keys()) == []
    assert sorted(met & LEFT_OUT.keys()) == []


def test_the_list_names_fields_that_there_are():
    assert sorted(LEFT_OUT.keys() - {field.name for field in SUMMARY}) == []
    assert all(reason and not reason.endswith(".") for reason in LEFT_OUT.values())


TRACE = "\n".join(
    ["arrival_ns,op,offset_bytes,size_bytes"]
    + [f"{at * 50_000},{'read' if at % 3 else 'write'},{at % 5 * 2048},{2048 * (1 + at % 2)}" for at in range(90)]
)


@pytest.mark.parametrize("stack", ["baseline", "flex_ftl", "dftl"])
def test_rounds_are_counted_too(tmp_path, stack):
    trace = tmp_path / "trace.csv"
    trace.write_text(TRACE + "\n")
    workload = TraceConfig(path=str(trace), repeat=3, addresses="wrap")
    run = Counted(attrs.evolve(small(stack), workload=workload, check="summary"))
    assert list(differences(run.summary, run.claims)) == []
    assert {"rounds.2.requests.read.response_us.p99", "rounds.0.page_types.fast"} <= run.names()


@pytest.mark.parametrize("stack", ["baseline", "spd", "pa_ssd"])
def test_what_was_under_way_when_the_measured_run_began_is_told_apart(stack):
    prepared = PreconditionConfig(mode="writes", timed=True, fill_share=0.5, max_windows=2)
    simulate(attrs.evolve(checked(stack), precondition=prepared, workloads={}, integrity="off"))


# What it counts with.


def test_the_most_at_a_time_when_an_instant_has_both_comers_and_goers():
    came, went = [0, 5, 5], [5, 9, 9]
    assert [most_at_a_time(*map(_array, (came, went)), order) for order in (0, 1)] == [2, 3]


def _array(values: Sequence[int]):
    import numpy as np

    return np.array(values)


def test_tables_that_were_not_asked_for_are_not_kept(tmp_path):
    config = attrs.evolve(load(small("baseline"), 30), check="summary")
    simulate(config, tmp_path / "run")
    assert not list((tmp_path / "run").glob("[rc]*s.parquet"))
    both = attrs.evolve(config, record=["requests", "commands"])
    result = simulate(both, tmp_path / "both")
    assert len(result.requests) == len(pq.read_table(tmp_path / "both" / "requests.parquet")) > 0


def test_results_are_those_of_a_run_that_is_not_checked():
    config = load(small("spd_plus"), 200)
    plain, recounted = (simulate(attrs.evolve(config, check=check)).summary for check in ("end", "summary"))
    varying = {"config_hash", "simulator"}
    assert {k: v for k, v in plain.items() if k not in varying} == {
        k: v for k, v in recounted.items() if k not in varying
    }


def test_it_is_refused_where_there_are_no_tables_of_the_whole_run():
    config = attrs.evolve(small("baseline"), check="summary", workload=SyntheticConfig(requests=9, queue_depth=1))
    with pytest.raises(ConfigError, match=r"^check=summary: counts from requests .* timing=off; set it to end"):
        simulate(attrs.evolve(config, timing="off"))
