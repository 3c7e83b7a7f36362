"""Figures that are counted wrong at their source are found by `check=summary`, and by no other check."""

from functools import cache

import attrs
import pytest

from ssdsim.config import PowerLossConfig
from support.sabotage import Bench
from support.small_devices import load, small

SENTENCE = "check: {} is .* in the summary, but .* by the tables of requests and commands"


@cache
def experiment(stack, check, **lost):
    """Return a run of some hundred requests with these checks."""
    config = load(small(stack), 200, seed=5, ops=(0.5, 0.27, 0.19, 0.04))
    return attrs.evolve(config, check=check, power_loss=PowerLossConfig(**lost))


def busy_without_the_bus(bench):
    def finish(original, self, die, transaction):
        on_bus = self.transactions.array_start_ns[transaction] - self.transactions.bus_start_ns[transaction]
        original(self, die, transaction)
        self.dies.busy_ns[die] -= on_bus

    bench.wrap("flash.controller:FlashController", "finish", finish)


def bandwidth_of_trims(bench):
    def summary(original, self, recorder):
        found, elapsed_ns = original(self, recorder), recorder.last_ns - self.start_ns
        carried = sum(recorder.size_bytes(op) for op in range(3))
        return found | {"bandwidth_mib_s": carried / 2**20 / elapsed_ns * 1e9}

    bench.wrap("run.measurement:Measurement", "summary", summary)


def scan_of_the_quickest_die(bench):
    bench.wrap("states.power_loss", "_scan_ns", lambda original, *given: original(*given) // 2)


def planes_busy_twice(bench):
    def add(original, self, op, source, plane, array_ns, joined):
        original(self, op, source, plane, array_ns, joined)
        self.plane_busy_ns[plane] += array_ns * (op == 2)

    bench.wrap("flash.counters:FlashCounters", "add", add)


def buses_held_for_longer(bench):
    bench.wrap(
        "flash.controller:FlashController", "bus_time_ns", lambda original, *given: original(*given) * 101 // 100
    )


def costs_of_each_plane(bench):
    def add_collection(original, self, op, array_ns, transfer_ns):
        original(self, op, array_ns * 2, transfer_ns)

    bench.wrap("flash.counters:FlashCounters", "add_collection", add_collection)


def victims_that_were_full(bench):
    def take_up(original, self, collection):
        original(self, collection)
        self.victim_valid += 1

    bench.wrap("ftl.reclaim.collector:Collector", "take_up", take_up)


def moves_left_out(bench):
    bench.wrap("metrics.summary", "write_amplification", lambda original, change, *over: original(
        change | {"page_moves": 0}, *over
    ))  # fmt: skip


def hits_counted_twice(bench):
    def read(original, self, request):
        before = self.read_hits
        original(self, request)
        self.read_hits += self.read_hits - before

    bench.wrap("buffer.write_buffer:WriteBuffer", "read", read)


def unmapped_reads_lost(bench):
    def read_mapped(original, self, *given):
        original(self, *given)
        self.unmapped_reads = 0

    bench.wrap("ftl.reads:ReadPath", "read_mapped", read_mapped)


def nobody_blocked(bench):
    bench.wrap("flash.counters:FlashCounters", "host_page_done", lambda original, self, write_ns, blocked: original(
        self, write_ns, False
    ))  # fmt: skip


def planes_at_work_afterwards(bench):
    def eviction_done(original, self, now_ns):
        self.at_work_before = self.at_work
        original(self, now_ns)

    bench.wrap("flash.counters:FlashCounters", "eviction_done", eviction_done)


def percentile_of_nothing(bench):
    bench.wrap("metrics.requests", "response_us", lambda original, tally, op: original(tally, op) | {"p95": -1.0})


def depth_without_the_newest(bench):
    def count_out(original, queue, now_ns):
        queue.depth_ns -= now_ns - queue.depth_since_ns
        original(queue, now_ns)

    bench.wrap("host.queue", "count_out", count_out)


LOSS = {"after_programs": 150}
WRONG = [
    (busy_without_the_bus, "baseline", {}, r"utilization\.die\[0\]"),
    (bandwidth_of_trims, "baseline", {}, "bandwidth_mib_s"),
    (scan_of_the_quickest_die, "baseline", LOSS, r"power_loss\.scan_ms"),
    (planes_busy_twice, "spd_plus", {}, r"utilization\.plane\[0\]"),
    (buses_held_for_longer, "baseline", {}, r"utilization\.channel\[0\]"),
    (costs_of_each_plane, "baseline", {}, r"gc\.cost_us\.read"),
    (victims_that_were_full, "baseline", {}, r"gc\.victim_valid_share"),
    (moves_left_out, "baseline", {}, "write_amplification"),
    (hits_counted_twice, "spd", {}, r"buffer\.read_hits"),
    (unmapped_reads_lost, "baseline", {}, r"memory_reads \+ unmapped_reads"),
    (nobody_blocked, "baseline", {}, r"gc\.blocked_writes"),
    (planes_at_work_afterwards, "baseline", {}, r"planes_at_work\.mean"),
    (percentile_of_nothing, "baseline", {}, r"requests\.read\.response_us\.p95"),
    (depth_without_the_newest, "baseline", {}, r"queue_depth\.mean"),
]


@pytest.mark.parametrize(("sabotage", "stack", "lost", "figure"), WRONG, ids=lambda each: getattr(each, "__name__", ""))
def test_a_figure_that_is_counted_wrong_is_told(interpreted, monkeypatch, sabotage, stack, lost, figure):
    simulate = interpreted["ssdsim.run.simulation"].simulate
    sabotage(Bench(interpreted, monkeypatch))
    simulate(experiment(stack, "always", **lost))  # and with integrity=on: neither sees it
    with pytest.raises(interpreted["ssdsim.errors"].SimulationError, match=SENTENCE.format(figure)):
        simulate(experiment(stack, "summary", **lost))


@pytest.mark.parametrize(("stack", "lost"), [("baseline", {}), ("baseline", LOSS), ("spd_plus", {}), ("pcftl", {})])
def test_what_is_counted_right_is_not_told(interpreted, stack, lost):
    interpreted["ssdsim.run.simulation"].simulate(experiment(stack, "summary", **lost))
