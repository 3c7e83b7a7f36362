"""Show how the traces of a run are read: their format, why it was taken, and their first requests.

Nothing is simulated. The arguments are those of the run, as workload.path=my.csv workload.format=msr. Times are from
the first row on; requests stand as in the file, before they are put in order and brought onto the device.
"""

from collections.abc import Sequence

import attrs

from ssdsim.config import TraceConfig
from ssdsim.errors import ConfigError

from . import failures, parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the first requests and return 0, or 2 for a trace that cannot be read."""
    options = parser("trace", __doc__)
    options.add_argument("overrides", nargs="*", metavar="KEY=VALUE", help="those of the run")
    options.add_argument("--rows", type=int, default=10, metavar="N", help="how many requests are shown (10)")
    given = options.parse_args(arguments)
    return failures.guarded(lambda: show(given.overrides, max(given.rows, 1)))


def show(overrides: list[str], rows: int) -> int:
    """Print the first `rows` requests of each trace of the run that `overrides` describe, and return 0."""
    from .compose import composed

    config = composed(overrides)
    loads = {"main": config.workload, **config.workloads}
    traces = {name: load for name, load in loads.items() if isinstance(load, TraceConfig)}
    if not traces:
        raise ConfigError("workload: is no trace; set workload=trace.")
    for load in traces.values():
        print(_table(load, rows))
    return 0


def _table(load: TraceConfig, rows: int) -> str:
    """Return the format and the first requests of a trace; raise `TraceError` for a row that is wrong."""
    from ssdsim.report.text import TextTable
    from ssdsim.workload.chunk import OP_NAMES
    from ssdsim.workload.reader import TraceReader
    from ssdsim.workload.records import RowError

    reader = TraceReader(attrs.evolve(load, limit=rows))
    table = TextTable("row", "time, us", "operation", "device", "offset, bytes", "size, bytes")
    try:
        records = next(reader.records(), None)
    except RowError as error:
        raise reader.explained(error) from None
    names = {code: name for name, code in reader.devices.items()}
    if records:
        columns = (
            records.row,
            records.arrival_ns,
            records.op,
            records.device,
            records.offset_bytes,
            records.size_bytes,
        )
        for row, time_ns, op, device, offset, size in zip(*(column[:rows].tolist() for column in columns), strict=True):
            numbers = (f"{offset:,}", f"{size:,}")
            table.add_row(f"{row}", f"{time_ns / 1000:,.3f}", OP_NAMES[op], names.get(device, ""), *numbers)
    skipped = "".join(f"; {count} left out: {reason}" for reason, count in reader.skipped.items())
    return f"{reader.file.path}: {reader.format.name}, as {reader.reason}{skipped}.\n{table}"
