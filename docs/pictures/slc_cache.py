"""The bandwidth of a long write over time, with SLC caches of several kinds, measured as the site is built."""

from pathlib import Path
from tempfile import TemporaryDirectory

from ssdsim import FtlConfig, HardwareConfig, PreconditionConfig, SimulationConfig, simulate
from ssdsim.config import FioConfig, SlcCacheConfig

from .canvas import Canvas

STATIC = SlcCacheConfig(blocks=5)
WAITING = SlcCacheConfig(blocks=5, when_full="fold")
DYNAMIC = SlcCacheConfig(free_share=0.5)

PANELS = {
    "A sequential write": ("rw=write", {"none": (None, 0.0), "static": (STATIC, 0.0), "waits": (WAITING, 0.0)}),
    "The same, of a dynamic cache": ("rw=write", {f"{share:.0%} full": (DYNAMIC, share) for share in (0.3, 0.5, 0.7)}),
    "A random write": ("rw=randwrite", {"none": (None, 0.5), "static": (STATIC, 0.5), "dynamic": (DYNAMIC, 0.5)}),
    "A pause every 128 MiB": (
        "rw=write\nthinktime=2s\nthinktime_blocks=2048",
        {"none": (None, 0.0), "static": (STATIC, 0.0)},
    ),
}
"""By title: a job of fio, and by name a cache and how full the device is before."""

JOB = "[main]\nbs=64k\niodepth=16\nioengine=libaio\nsize=384m\nnorandommap\n"
WINDOW_S = 0.1


def course(job: str, cache: SlcCacheConfig | None, full: float) -> tuple[list[float], list[float]]:
    """Return moments in seconds, and the bandwidth in MiB/s of the writes of each."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "job.fio"
        path.write_text(JOB + job)
        config = SimulationConfig(
            hardware=HardwareConfig(blocks_per_plane=64),
            ftl=FtlConfig() if cache is None else FtlConfig(slc_cache=cache),
            precondition=PreconditionConfig(mode="fill", fill_share=full),
            workload=FioConfig(path=str(path)),
        )
        table = simulate(config).timeseries
    times, rates = table["time_s"].to_pylist(), table["write_bandwidth_mib_s"].to_pylist()
    together = max(round(WINDOW_S / table["window_s"][0].as_py()), 1)
    firsts = range(0, len(times), together)
    return [times[at] for at in firsts], [sum(part := rates[at : at + together]) / len(part) for at in firsts]


def slc_cache() -> str:
    """Return the picture: a panel for each load, a line for each cache."""
    canvas = Canvas(110, 75)
    for number, (title, (job, cases)) in enumerate(PANELS.items()):
        column, row = number % 2, number // 2
        axes = canvas.figure.add_axes((0.07 + 0.49 * column, 0.57 - 0.49 * row, 0.42, 0.37), facecolor="#ffffff")
        for name, (cache, full) in cases.items():
            axes.plot(*course(job, cache, full), label=name)
        axes.set(title=title, xlabel="Time (s)", ylabel="Writes (MiB/s)", ylim=(0, None), xlim=(0, None))
        axes.title.set_fontsize(9.5)
        axes.legend(fontsize=8)
    return canvas.svg()
