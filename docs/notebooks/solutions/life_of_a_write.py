"""Solutions of 01_life_of_a_write."""

import tempfile
from pathlib import Path

from ssdsim import BufferConfig, HardwareConfig, PreconditionConfig, Result, SimulationConfig, TraceConfig, simulate

BUS_NS = 200 + 4096 * 2.5
"""Command and data of a page on the bus."""

PROGRAM_NS, READ_NS = 400_000, 50_000
FOUR_WRITES = ["0,write,0,4096", "0,write,4096,4096", "0,write,8192,4096", "0,write,0,4096"]


def run(rows: list[str], channels: int = 1, buffer: str = "none") -> Result:
    """Return the result of the notebook's device for a trace of these rows, on one channel or two."""
    device = HardwareConfig(
        channels=channels,
        chips_per_channel=2 // channels,
        dies_per_chip=1,
        planes_per_die=1,
        blocks_per_plane=16,
        pages_per_block=8,
        bits_per_cell=1,
        over_provisioning=0.5,
        program_us=[PROGRAM_NS / 1000],
        read_us=[READ_NS / 1000],
    )
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace.csv"
        trace.write_text("\n".join(["arrival_ns,op,offset_bytes,size_bytes", *rows]) + "\n")
        config = SimulationConfig(
            hardware=device,
            buffer=BufferConfig(replacement=buffer),
            precondition=PreconditionConfig(mode="none"),
            workload=TraceConfig(path=str(trace)),
            record=["requests", "commands"],
        )
        return simulate(config)


def times_ns(result: Result) -> list[int]:
    """Return the response time of each request."""
    return list(result.requests["response_ns"].to_pylist())


def exercise_1() -> None:
    """Only the second write gains: it no longer waits for the bus, which is 10.44 us. The others wait for die 0.

    A second bus is of little use where the array, not the bus, is what everybody waits for.
    """
    one, two = times_ns(run(FOUR_WRITES)), times_ns(run(FOUR_WRITES, channels=2))
    once = BUS_NS + PROGRAM_NS
    assert two == [once, once, 2 * once, 3 * once]
    assert [before - after for before, after in zip(one, two, strict=True)] == [0, BUS_NS, 0, 0]


def exercise_2() -> None:
    """At 900 us the read takes no time, at 1300 us it takes 60.44 us: command, array and data.

    At 900 us the fourth write is still on its way to flash, so the controller has its data in memory and answers from
    there. It is programmed at 1231.32 us, and from then on the data is only in flash.
    """
    early = times_ns(run([*FOUR_WRITES, "900000,read,0,4096"]))[-1]
    late = times_ns(run([*FOUR_WRITES, "1300000,read,0,4096"]))[-1]
    assert early == 0
    assert 900_000 < 3 * (BUS_NS + PROGRAM_NS) < 1_300_000
    assert late == BUS_NS + READ_NS


def exercise_3() -> None:
    """The device reads the other 2 KiB of the page, and programs all of it elsewhere: 55.32 + 410.44 us.

    This is read-modify-write. The read moves only the 2 KiB that are needed over the bus; the program moves 4 KiB.
    """
    result = run(["0,write,0,4096", "1000000,write,0,2048"])
    read = 200 + READ_NS + 2048 * 2.5
    assert times_ns(result)[-1] == read + BUS_NS + PROGRAM_NS
    assert result.commands["op"].to_pylist() == ["program", "read", "program"]


def exercise_4() -> None:
    """Each write takes 26 ns + 4096 x 0.15625 ns = 666 ns in the buffer, one after another; nothing is programmed.

    The host's writes are complete 600 times sooner. The data is in DRAM: it is lost if the power fails now, unless the
    device has capacitors. The fourth write also replaced the first one in the buffer, so flash will never see that.
    """
    result = run(FOUR_WRITES, buffer="lru")
    once = 26 + 4096 * 0.15625
    assert times_ns(result) == [once, 2 * once, 3 * once, 4 * once]
    assert result.commands.num_rows == 0
