"""Show how the traces of a run are read: their format, why it was taken, and their first requests.

Nothing is simulated. The arguments are those of the run, as workload.path=my.csv workload.format=msr. Times are from
the first row on; requests stand as in the file, before they are put in order and brought onto the device.
"""

from collections.abc import Sequence

from attrs import evolve

from ssdsim.config import TraceConfig
from ssdsim.errors import ConfigError
from ssdsim.report.text import TextTable
from ssdsim.workload.chunk import OP_NAMES
from ssdsim.workload.reader import TraceReader

from . import parser
from .compose import composed

COLUMNS = ("row", "arrival_ns", "op", "device", "offset_bytes", "size_bytes")


def main(arguments: Sequence[str]) -> int:
    """Print the first requests and return 0, or 2 for a trace that cannot be read."""
    options = parser("trace", __doc__, "those of the run")
    options.add_argument("--rows", type=int, default=10, metavar="N", help="how many requests are shown (10)")
    given = options.parse_intermixed_args(arguments)
    config, rows = composed(given.overrides), max(given.rows, 1)
    traces = [load for load in (config.workload, *config.workloads.values()) if isinstance(load, TraceConfig)]
    if not traces:
        raise ConfigError("workload: is no trace; set workload=trace.")
    for load in traces:
        reader = TraceReader(evolve(load, limit=rows))
        records = next(reader.records(), None)
        skipped = "".join(f"; {count} left out: {reason}" for reason, count in reader.skipped.items())
        print(f"{reader.file.path}: {reader.format.name}, as {reader.reason}{skipped}.")
        names = {code: name for name, code in reader.devices.items()}
        table = TextTable("row", "time, us", "operation", "device", "offset, bytes", "size, bytes")
        for place in range(min(rows, len(records.row)) if records else 0):
            row, time_ns, op, device, *sizes = (int(getattr(records, name)[place]) for name in COLUMNS)
            told = f"{row}", f"{time_ns / 1000:,.3f}", OP_NAMES[op], names.get(device, "")
            table.add_row(*told, *(f"{size:,}" for size in sizes))
        print(table)
    return 0
