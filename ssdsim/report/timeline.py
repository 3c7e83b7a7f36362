"""What each bus, die and plane did when, in the JSON of Chrome's tracing, which Perfetto's viewer opens, too.

It is made from the logs of a run (`record=[requests,commands]`), of a window of time or of so many commands, as viewers
hold what they show in memory. Times of the file are microseconds of simulated time.
"""

import heapq
import json
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import yaml
from attrs import define, field

from ssdsim._core.program_order import TYPE_NAMES
from ssdsim.errors import InputError
from ssdsim.metrics.parquet import damage_told
from ssdsim.metrics.result import Result

MOST = 100_000
"""Commands in a timeline, if not told otherwise: what viewers open at once."""

Row = dict[str, Any]
Track = dict[str, int]
"""The numbers of a line of the picture and of the group that it is drawn in, as events have them."""


@define
class Timeline:
    """Events on tracks, and how many commands there were to choose from."""

    events: list[Row] = field(factory=list)
    commands: int = 0
    of_commands: int = 0
    _groups: list[str] = field(factory=list)
    _tracks: int = 0

    def track(self, group: str, name: str, rank: int = 0) -> Track:
        """Return a new track, at the place `rank` of its group."""
        if group not in self._groups:
            self._groups.append(group)
            self._describe("process", {"pid": len(self._groups)}, group, len(self._groups))
        self._tracks += 1
        made = {"pid": 1 + self._groups.index(group), "tid": self._tracks}
        self._describe("thread", made, name, rank)
        return made

    def _describe(self, kind: str, owner: Track, name: str, rank: int) -> None:
        self.events.append({"ph": "M", **owner, "name": f"{kind}_name", "args": {"name": name}})
        self.events.append({"ph": "M", **owner, "name": f"{kind}_sort_index", "args": {"sort_index": rank}})

    def slice(
        self, track: Track, name: str, start_ns: int, end_ns: int, args: Row, out: Sequence[int] = (), into: int = 0
    ) -> None:
        """Add a slice to a track; flows number `out` lead from it, and flow `into`, if it is not 0, leads to it."""
        start = {**track, "ts": start_ns / 1000}
        self.events.append({"ph": "X", "name": name, "dur": (end_ns - start_ns) / 1000, "args": args, **start})
        for phase, flows in (("s", out), ("f", [into] * bool(into))):
            flow = {"ph": phase, "name": "request", "cat": "request", "bp": "e", **start}
            self.events += [{**flow, "id": number} for number in flows]

    def save(self, path: Path) -> None:
        """Write the file."""
        told = {"traceEvents": self.events, "displayTimeUnit": "ns"}
        path.write_text(json.dumps(told, separators=(",", ":")), encoding="utf-8")


def timeline(
    folder: str | Path, begin_s: float = 0.0, end_s: float | None = None, max_commands: int = MOST
) -> Timeline:
    """Return the timeline of the run in `folder` from `begin_s` to `end_s`, of at most so many commands, the first.

    Raise InputError if it has kept no log of commands, or did nothing in that time.
    """
    folder = Path(folder)
    result = Result.load(folder)
    begin_ns, end_ns = round(begin_s * 1e9), 1 << 62 if end_s is None else round(end_s * 1e9)
    if not (folder / "commands.parquet").exists():
        raise InputError(f"{folder}: commands were not recorded; run with record=[requests,commands].")
    window = [("bus_start_ns", "<", end_ns), ("end_ns", ">", begin_ns)]
    rows = _read(folder / "commands.parquet", window, "bus_start_ns")
    if not rows:
        raise InputError(f"{folder}: no command was under way from {begin_s} s to {end_s or 'the end'}.")
    made = Timeline(commands=min(len(rows), max_commands), of_commands=len(rows))
    rows = rows[:max_commands]
    if made.commands < made.of_commands:
        end_ns = rows[-1]["bus_start_ns"]
    flows = _requests(made, folder, rows)
    hardware = yaml.safe_load((folder / "config.yaml").read_text(encoding="utf-8"))["hardware"]
    types = TYPE_NAMES[hardware.get("bits_used") or hardware["bits_per_cell"]]
    _flash(made, rows, flows, [*types, "slc"])  # which has the type -1
    _counters(made, result, begin_ns, end_ns)
    return made


def _read(path: Path, filters: Any, order: str) -> list[Row]:
    with damage_told(path):
        return list(pq.read_table(path, filters=filters).sort_by(order).to_pylist())


def _requests(made: Timeline, folder: Path, rows: list[Row]) -> dict[int, int]:
    """Add the requests that the commands work for; return the number of the flow to each of these, by their place.

    Requests that overlap lie on lines of their own, as many as there are at a time.
    """
    path = folder / "requests.parquet"
    wanted = pa.array(sorted({row["request"] for row in rows if row["request"] >= 0}), pa.int64())
    if not path.exists() or not len(wanted):
        return {}
    requests = _read(path, pc.field("id").isin(wanted), "arrival_ns")
    complete = {request["id"] for request in requests}  # not those that a loss of power, or a stop, cut off
    flows = {place: place + 1 for place, row in enumerate(rows) if row["request"] in complete}
    by_request: dict[int, list[int]] = {}
    for place, flow in flows.items():
        by_request.setdefault(rows[place]["request"], []).append(flow)
    tracks: list[Track] = []
    free: list[int] = []  # lines, the topmost first
    busy: list[tuple[int, int]] = []
    for request in requests:
        start_ns, end_ns = request["arrival_ns"], request["arrival_ns"] + request["response_ns"]
        while busy and busy[0][0] <= start_ns:
            heapq.heappush(free, heapq.heappop(busy)[1])
        if not free:
            free.append(len(tracks))
            tracks.append(made.track("host", f"request {len(tracks) + 1}", len(tracks)))
        line = heapq.heappop(free)
        heapq.heappush(busy, (end_ns, line))
        details = {name: request[name] for name in ("id", "stream", "offset_bytes", "size_bytes")}
        details |= {name: wait for name, wait in request.items() if name.startswith("blame_") and wait}
        made.slice(tracks[line], request["op"], start_ns, end_ns, details, out=by_request[request["id"]])
    return flows


def _flash(made: Timeline, rows: list[Row], flows: dict[int, int], types: Sequence[str]) -> None:
    """Add the buses, dies and planes, and what they did."""
    tracks: dict[tuple[int, ...], Track] = {}  # by place, as a bus has one number, a die three and a plane four
    for plane in sorted({(row["channel"], row["chip"], row["die"], row["plane"]) for row in rows}):
        for kind, place in (("bus", plane[:1]), ("die", plane[:3]), ("plane", plane)):
            if place not in tracks:
                name = f"{kind} {'.'.join(map(str, place))}"
                tracks[place] = made.track(f"channel {plane[0]}", name, len(tracks))
    for index, row in enumerate(rows):
        die = (row["channel"], row["chip"], row["die"])
        name = f"{row['op']} {row['source']}"
        if row["op"] in ("read", "program", "copyback"):
            name += f" {types[row['page_type']]}"
        details = {key: row[key] for key in ("block", "page", "lpa", "request", "queued_ns")}
        bus, left_ns = tracks[die[:1]], row["array_start_ns"] - row.get("cached_ns", 0)
        made.slice(bus, name, row["bus_start_ns"], left_ns, details)
        if row["data_start_ns"] >= 0:
            made.slice(bus, f"{name} data", row["data_start_ns"], row["end_ns"], details)
        on_plane = tracks[*die, row["plane"]]
        made.slice(on_plane, name, row["array_start_ns"], row["array_end_ns"], details, into=flows.get(index, 0))

    def command(row: Row) -> tuple[int, ...]:  # which is several rows: those of one die whose array work began together
        return row["channel"], row["chip"], row["die"], row["array_start_ns"]

    for (*on, _), pages in groupby(sorted(rows, key=command), command):
        members = list(pages)
        name = members[0]["op"] + (f", {len(members)} planes" if len(members) > 1 else "")
        start_ns, end_ns = min(row["bus_start_ns"] for row in members), max(row["end_ns"] for row in members)
        made.slice(tracks[tuple(on)], name, start_ns, end_ns, {"source": members[0]["source"]})


def _counters(made: Timeline, result: Result, begin_ns: int, end_ns: int) -> None:
    """Add the requests in the device and the free blocks, window by window of the time series."""
    made.events.append({"ph": "M", "pid": 0, "name": "process_name", "args": {"name": "counters"}})
    started_ns = round(result.summary["started_s"] * 1e9)
    for name, title in (("queue_depth", "requests in the device"), ("free_blocks", "free blocks")):
        for row in result.timeseries.select(["time_s", "window_s", name]).to_pylist():
            # rows have the time since the measured run began
            at_ns, value = started_ns + round(row["time_s"] * 1e9), row[name]
            if value is not None and at_ns < end_ns and at_ns + round(row["window_s"] * 1e9) > begin_ns:
                made.events.append({"ph": "C", "pid": 0, "name": title, "ts": at_ns / 1000, "args": {"value": value}})
