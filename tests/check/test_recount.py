"""The oracle of a summary: each figure is counted again from the tables, and one that is off is told."""

from functools import cache
from math import inf

import attrs
import numpy as np
import pytest
from hypothesis import given, settings

from ssdsim import ConfigError
from ssdsim.config import PowerLossConfig, PreconditionConfig, TraceConfig
from ssdsim.testing import RequestList
from support.recount import counted, differences, recounted, value_at
from support.recount_figures import most_at_a_time
from support.recount_tables import Between
from support.requests import writes
from support.sabotage import Bench
from support.small_devices import STACKS, load, mixed, small
from support.strategies import experiments, power_losses
from support.thinned import thinned
from support.tiny_device import run_streams

LOSSES = {"no": {}, "plain": {"after_programs": 170}, "capacitor": {"after_programs": 170, "capacitor": True}}
CASES = [(stack, loss) for stack in STACKS for loss in LOSSES]


def busy(stack, loss="no"):
    """Return a run of some hundred requests of three streams on a small device."""
    config = load(small(stack), 260, seed=3)
    others = {
        "open": RequestList(rows=[(at * 90_000, *row[1:]) for at, row in enumerate(mixed(config, 60, seed=7))]),
        "closed": RequestList(rows=mixed(config, 40, seed=8), queue_depth=2),
    }
    lost = dict(LOSSES[loss])
    if lost and config.ftl.unit == "super_page":
        lost["after_programs"] *= 2  # so many more pages are written
    return attrs.evolve(config, workloads=others, power_loss=PowerLossConfig(**lost))


@cache
def told(stack, loss):
    """Return the summary of a run, and what its tables tell."""
    result, claims = counted(busy(stack, loss))
    return result.summary, claims


@pytest.mark.parametrize(("stack", "loss"), thinned(0.34, CASES))
def test_every_figure_of_every_stack_is_that_of_the_tables(stack, loss):
    summary, claims = told(stack, loss)
    assert list(differences(summary, claims)) == []
    assert summary["requests"]["write"]["count"] > 100
    assert loss == "no" or summary["power_loss"]["at_s"] > 0


@settings(max_examples=settings.default.max_examples // 2)
@given(experiments())
def test_any_device_counts_as_its_tables_do(drawn):
    device, loads = drawn
    run_streams(loads, device | {"check": "recount", "integrity": "off"})


@settings(max_examples=settings.default.max_examples // 4)
@given(experiments(), power_losses())
def test_any_device_that_loses_power_counts_as_its_tables_do(drawn, loss):
    device, loads = drawn
    try:
        run_streams(loads, device | {"check": "recount", "integrity": "off", "power_loss": loss})
    except ConfigError:
        return  # it cannot be brought back, and that is said


def test_a_command_that_the_run_leaves_unfinished_in_the_instant_of_a_loss_of_power_was_not_destroyed_by_it():
    """Nothing takes time here, not even the reboot; the last write fills a block, and another one is being erased."""
    times = {"read_us": [0.0], "program_us": [0.0], "erase_us": 0.0, "bus_ns_per_byte": 0.0}
    commands = dict.fromkeys(("read_command_us", "program_command_us", "erase_command_us"), 0.0)
    device = {"hardware": times | commands, "power_loss": {"after_programs": 3}}
    rows = writes(*(number % 16 for number in range(30)))
    out = run_streams([{"rows": rows, "queue_depth": 1}], device | {"check": "recount", "integrity": "off"})
    assert out.summary["power_loss"]["destroyed_erases"] == 0


TRACE = "\n".join(
    ["arrival_ns,op,offset_bytes,size_bytes"]
    + [f"{at * 50_000},{'read' if at % 3 else 'write'},{at % 5 * 2048},{2048 * (1 + at % 2)}" for at in range(90)]
)


@pytest.mark.parametrize("stack", ["baseline", "flex_ftl", "dftl"])
def test_rounds_are_counted_too(tmp_path, stack):
    trace = tmp_path / "trace.csv"
    trace.write_text(TRACE + "\n")
    workload = TraceConfig(path=str(trace), repeat=3, addresses="wrap")
    result, claims = counted(attrs.evolve(small(stack), workload=workload))
    assert list(differences(result.summary, claims)) == []
    assert {"rounds.2.requests.read.response_us.p99", "rounds.0.page_types.fast"} <= claims.keys()


@pytest.mark.parametrize("stack", ["baseline", "spd", "pa_ssd"])
def test_what_was_under_way_when_the_measured_run_began_is_told_apart(stack):
    prepared = PreconditionConfig(mode="writes", timed=True, fill_share=0.5, max_windows=2)
    recounted(attrs.evolve(busy(stack), precondition=prepared, workloads={}, integrity="off"))


def test_the_most_at_a_time_when_an_instant_has_both_comers_and_goers():
    assert most_at_a_time(np.array([0, 5, 5]), np.array([5, 9, 9])) == (2, 3)


# That it finds what is off.


def off(value):
    """Return values near `value` that are wrong."""
    if isinstance(value, Between):
        slack = 1e-6 * (abs(value.low) + 1)
        return [value.low - slack - 1] + [value.high + slack + 1] * bool(value.high < inf)
    if isinstance(value, list):
        return [[*value, 1.0], *([*value[:-1], wrong] for wrong in off(value[-1]))] if value else [[1.0]]
    return [1] if value is None else [value + (1 if isinstance(value, int) else value * 1e-6 + 1e-9)]


@pytest.mark.parametrize(("stack", "loss"), [("spd_plus", "no"), ("dftl", "plain")])
def test_each_figure_that_is_off_is_told_by_its_name(stack, loss):
    summary, claims = told(stack, loss)
    assert len(claims) > 200
    for name, value in claims.items():
        if None not in [value_at(summary, part) for part in name.split(" + ")]:
            assert all(list(differences(summary, {name: wrong})) for wrong in off(value)), name


def buses_held_for_longer(bench):
    held = "flash.controller:FlashController"
    bench.wrap(held, "bus_time_ns", lambda original, *given: original(*given) * 101 // 100)


def planes_busy_twice(bench):
    def add(original, self, op, source, plane, array_ns, joined):
        original(self, op, source, plane, array_ns, joined)
        self.plane_busy_ns[plane] += array_ns * (op == 2)

    bench.wrap("flash.counters:FlashCounters", "add", add)


def victims_that_were_full(bench):
    def take_up(original, self, collection):
        original(self, collection)
        self.victim_valid += 1

    bench.wrap("ftl.reclaim.collector:Collector", "take_up", take_up)


def unmapped_reads_lost(bench):
    def read_mapped(original, self, *given):
        original(self, *given)
        self.unmapped_reads = 0

    bench.wrap("ftl.reads:ReadPath", "read_mapped", read_mapped)


def depth_without_the_newest(bench):
    def count_out(original, queue, now_ns):
        queue.depth_ns -= now_ns - queue.depth_since_ns
        original(queue, now_ns)

    bench.wrap("host.queue", "count_out", count_out)


WRONG = [
    (buses_held_for_longer, "baseline", r"utilization\.channel"),
    (planes_busy_twice, "spd_plus", r"utilization\.plane"),
    (victims_that_were_full, "baseline", r"gc\.victim_valid_share"),
    (unmapped_reads_lost, "baseline", r"memory_reads \+ unmapped_reads \+ coalesced_reads"),
    (depth_without_the_newest, "baseline", r"queue_depth\.mean"),
]


@pytest.mark.parametrize(("sabotage", "stack", "figure"), WRONG, ids=lambda each: getattr(each, "__name__", ""))
def test_a_figure_that_is_counted_wrong_at_its_source_is_told(interpreted, monkeypatch, sabotage, stack, figure):
    """No other check sees it."""
    config = load(small(stack, "check=always"), 200, seed=5, ops=(0.5, 0.27, 0.19, 0.04))
    sabotage(Bench(interpreted, monkeypatch))
    with pytest.raises(AssertionError, match=rf"^{figure} is .* in the summary, but .* by the tables"):
        recounted(config, interpreted)
