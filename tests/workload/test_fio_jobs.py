"""Job files of fio: what an option means, what has no meaning, and what is refused with a sentence."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdsim import ConfigError
from ssdsim.config import FioConfig, SimulationConfig, SyntheticConfig
from ssdsim.errors import InputError
from ssdsim.workload import FLUSH, READ, WRITE
from ssdsim.workload.base import CheckedWorkload
from ssdsim.workload.fio import FioWorkload, with_jobs
from ssdsim.workload.fio_jobs import read_jobs

KIB, MIB = 1 << 10, 1 << 20


@pytest.fixture
def job_file(tmp_path):
    def write(*lines):
        path = tmp_path / "some.fio"
        path.write_text("\n".join(lines) + "\n")
        return str(path)

    return write


def requests_of(path, job=None, clone=None, capacity=MIB, seed=1):
    chunks = list(FioWorkload(FioConfig(path=path, job=job, clone=clone), capacity, 4 * KIB, seed).chunks())
    return (np.concatenate([getattr(chunk, name) for chunk in chunks]).tolist() for name in COLUMNS)


COLUMNS = ("arrival_ns", "op", "offset_bytes", "size_bytes")


def test_globals_hold_for_the_jobs_below_them_and_lines_may_be_indented(job_file):
    path = job_file("[global]", "  bs=8k", "[a]", "; no", "[global]", "rw=write", "[a]", "\tbs=1m", "numjobs=2")
    first, *clones = read_jobs(path)
    assert (first.ops, first.sizes[READ][0]) == ((READ,), (8 * KIB,))
    assert [(job.name, job.clone, job.sizes[WRITE][0]) for job in clones] == [("a", 0, (MIB,)), ("a", 1, (MIB,))]


def test_variables_are_those_of_the_environment_and_comments_may_end_a_line(job_file, monkeypatch):
    monkeypatch.setenv("SOME_SIZE", "8k")
    (job,) = read_jobs(job_file("[a]", "bs=${SOME_SIZE} ; ${NONE}"))
    assert job.sizes[READ][0] == (8 * KIB,)


@pytest.mark.parametrize(
    ("text", "size"),
    [("4k", 4096), ("4K", 4096), ("4kb", 4096), ("4ki", 4096), ("4KiB", 4000)],
)
def test_suffixes_are_those_of_fio(job_file, text, size):
    (job,) = read_jobs(job_file("[a]", f"bs={text}"))
    assert job.sizes[READ] == ((size,), (1.0,))


def test_a_synchronous_engine_has_a_depth_of_one_and_psync_is_the_usual_one(job_file):
    jobs = read_jobs(job_file("[global]", "iodepth=8", "[a]", "[b]", "ioengine=libaio"))
    assert [(job.depth, job.ignored) for job in jobs] == [(1, ["iodepth"]), (8, [])]


def test_random_places_cover_the_range_once_a_loop(job_file):
    path = job_file("[a]", "rw=randwrite", "size=64k", "offset=32k", "io_size=128k")
    _, ops, offsets, sizes = requests_of(path)
    blocks = [32 * KIB + block * 4 * KIB for block in range(16)]
    assert (set(ops), set(sizes)) == ({WRITE}, {4 * KIB})
    assert sorted(offsets[:16]) == sorted(offsets[16:]) == blocks
    assert offsets[:16] != offsets[16:]


def test_flushes_come_after_so_many_writes_and_pauses_before_so_many_requests(job_file):
    _, ops, *_ = requests_of(job_file("[a]", "rw=write", "size=28k", "fsync=3"))
    assert ops == [WRITE] * 3 + [FLUSH] + [WRITE] * 3 + [FLUSH] + [WRITE]
    idle, *_ = requests_of(job_file("[a]", "size=28k", "thinktime=5", "thinktime_blocks=3"))
    assert idle == [0, 0, 0, 5_000, 0, 0, 5_000]


@pytest.mark.parametrize(("sync", "fua"), [("1", 1), ("sync", 1), ("dsync", 1), ("none", 0), ("0", 0)])
def test_a_file_opened_for_synchronous_writes_has_each_of_them_with_fua(job_file, sync, fua):
    path = job_file("[a]", "rw=randrw", "size=128k", f"sync={sync}", "fsync=2")
    chunks = [*FioWorkload(FioConfig(path=path), MIB, 4 * KIB, 1).chunks()]
    assert {READ, WRITE, FLUSH} == {op for chunk in chunks for op in chunk.op}
    for chunk in chunks:
        given = np.zeros(len(chunk)) if chunk.fua is None else chunk.fua
        assert given.tolist() == [fua * (op == WRITE) for op in chunk.op]


def test_rates_are_of_each_operation_and_end_with_the_runtime(job_file):
    times, ops, *_ = requests_of(job_file("[a]", "rw=randrw", "rate_iops=1000,500", "runtime=6ms", "time_based"))
    arrivals = {op: [time for time, kind in zip(times, ops, strict=True) if kind == op] for op in (READ, WRITE)}
    assert arrivals == {READ: [number * 1_000_000 for number in range(6)], WRITE: [0, 2_000_000, 4_000_000]}


def test_files_lie_one_after_another_and_a_filename_is_shared(job_file):
    path = job_file("[global]", "size=6k", "bs=1k", "[a]", "numjobs=2", "[b]", "filename=x", "[c]", "filename=x")
    starts = []
    for job, clone in [("a", 0), ("a", 1), ("b", 0), ("c", 0)]:
        _, _, offsets, _ = requests_of(path, job, clone)
        starts.append(offsets[0])
    assert starts == [0, 8 * KIB, 16 * KIB, 16 * KIB]  # in whole pages of 4 KiB


def test_each_clone_is_a_stream_and_other_streams_stay(job_file):
    path = job_file("[read it]", "numjobs=2", "size=4k", "[b]", "size=4k")
    other = SyntheticConfig(queue_depth=1)
    config = with_jobs(SimulationConfig(workload=FioConfig(path=path), workloads={"b": other}))
    assert (config.workload.job, config.workload.clone) == ("read it", 0)
    assert list(config.workloads) == ["read_it_1", "b_", "b"]
    assert config.workloads["b"] is other
    assert with_jobs(config) == config


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        (["[a]", "rwx=read"], r"\[a\] rwx=read: not supported; take it out[.]"),
        (["[a]", "rw=randred"], "did you mean 'randread'"),
        (["[a]", "bs=4q"], "'4q' is no size"),
        (["[a]", "bssplit=4k/60:8k/60"], "percentages of 100 together"),
        (["[a]", "rw=randread", "random_distribution=zipf:1"], "must be random or zipf:THETA"),
        (["[a]", "time_based"], "goes with runtime"),
        (["[a]", "filename=a:b"], "one file or device"),
        (["[a]", "size=2m"], r"reach to 2097152 bytes, and the device has 1048576"),
        (["[a]", "size=4k", "bs=8k"], "8192 bytes do not fit"),
        (["[a]", "ioengine=cpuio"], "sends no requests"),
        (["rw=read"], "is no job file of fio"),
    ],
)
def test_what_cannot_be_served_is_refused_with_a_sentence(job_file, lines, sentence):
    path = job_file(*lines)
    with pytest.raises(ConfigError, match=sentence) as refusal:
        for job in read_jobs(path):
            requests_of(path, job.name, job.clone)
    assert refusal.value.exit_status == 2


KEYS = "rw bs bssplit size offset random_distribution rate_iops runtime fsync numjobs iodepth thinktime"
KEYS = [*KEYS.split(), "rwmixread", "io_size", "time_based", "verify", "filename"]
VALUES = "randrw write 4k 4k/50:8k/50 10% zipf:1.2 pareto:.5 4k/nan -1 0 1 1k,2k 5ms x:y 1e400 nan 4k/ : / , - ${"
VALUES = [*VALUES.split(), "9" * 20, "", "\u00b2"]


@given(
    st.lists(
        st.tuples(
            st.sampled_from(KEYS),
            st.sampled_from(VALUES) | st.text(max_size=8) | st.text("pareto:/50zipf.k,", max_size=16),
        ),
        max_size=8,
    )
)
def test_any_job_is_read_or_refused(tmp_path_factory, options):
    path = tmp_path_factory.mktemp("any") / "any.fio"
    path.write_text("[a]\n" + "".join(f"{key}={value}\n" for key, value in options), encoding="utf-8")
    try:
        for job in read_jobs(path):
            workload = FioWorkload(FioConfig(path=str(path), job=job.name, clone=job.clone), MIB, 4 * KIB, 1)
            for chunk in itertools.islice(CheckedWorkload(workload, MIB).chunks(), 2):
                assert len(chunk)
    except InputError:
        pass
