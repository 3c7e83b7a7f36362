"""Jobs of fio in a run: stonewalls and runtimes, through a loss of power and in a run that is saved."""

import attrs
import pytest

from ssdsim import ConfigError, simulate
from ssdsim.config import FioConfig, PowerLossConfig
from support.tiny_stacks import configured

SMALL = [
    *("hardware.channels=1", "hardware.chips_per_channel=1", "hardware.blocks_per_plane=32"),
    *("hardware.over_provisioning=0.5", "workload=synthetic", "precondition=fill", "record=[requests,commands]"),
]
JOBS = """
[global]
ioengine=libaio
filename=x
size=1m
[order]
rw=write
iodepth=4
io_size=80k
[random]
stonewall
rw=randread
numjobs=2
iodepth=3
time_based
runtime=20ms
thinktime=50
thinktime_blocks=8
[rate]
stonewall
rw=randrw
rate_iops=2000
runtime=10ms
time_based
"""


@pytest.fixture
def jobs(tmp_path):
    def of(text=JOBS, **changes):
        path = tmp_path / "jobs.fio"
        path.write_text(text)
        return attrs.evolve(configured(*SMALL), workload=FioConfig(path=str(path)), **changes)

    return of


def courses(config):
    """Return, by stream, the arrivals and the completions of its requests in ns."""
    table = simulate(config).requests.to_pydict()
    rows = zip(table["stream"], table["arrival_ns"], table["response_ns"], strict=True)
    streams = {}
    for stream, arrival, response in rows:
        streams.setdefault(stream, []).append((arrival, arrival + response))
    return streams


@pytest.mark.parametrize("kernel", ["compiled", "simpy"])
def test_a_stonewall_waits_for_all_before_it_and_a_runtime_ends_what_is_sent(jobs, kernel):
    order, first, second, rated = (sorted(course) for _, course in sorted(courses(jobs(kernel=kernel)).items()))
    assert len(order) == 20
    begun = max(end for _, end in order) + 1  # a nanosecond after those before
    for course in (first, second):
        assert course[0][0] == begun
        assert begun + 18_000_000 < course[-1][0] <= begun + 20_000_000
        # at most three at a time
        moments = sorted([(arrival, 1) for arrival, _ in course] + [(end, -1) for _, end in course])
        depths = [sum(step for _, step in moments[: place + 1]) for place in range(len(moments))]
        assert max(depths) == 3
        # after each eight a pause once all are complete
        for number in range(8, len(course), 8):
            assert course[number][0] - max(end for _, end in course[:number]) == 50_000
    begun = max(end for _, end in first + second)
    assert [arrival - begun for arrival, _ in rated] == sorted([number * 500_000 for number in range(20)] * 2)


@pytest.mark.parametrize("kernel", ["compiled", "simpy"])
def test_jobs_go_on_after_a_loss_of_power(jobs, kernel):
    config = jobs(kernel=kernel, power_loss=PowerLossConfig(at_s=0.015))
    streams = courses(config)
    assert set(streams) == {0, 1, 2, 3}
    # the time without power counts: at the end of the runtime no more is sent
    assert max(arrival for arrival, _ in streams[1]) <= max(end for _, end in streams[0]) + 1 + 20_000_000


def test_jobs_without_an_end_need_a_clock(jobs):
    with pytest.raises(ConfigError, match=r"timing=off: does not go with time_based"):
        simulate(jobs(timing="off", record=[]))
