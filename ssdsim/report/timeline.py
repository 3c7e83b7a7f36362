"""What each bus, die and plane did when, in the JSON of Chrome's tracing, which Perfetto's viewer opens, too.

It is made from the logs of a run (`record=[requests,commands]`), of a window of time, as viewers hold what they show in
memory. Times of the file are microseconds of simulated time.
"""

import heapq
import json
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import yaml
from attrs import define, field

from ssdsim._core.program_order import TYPE_NAMES
from ssdsim.errors import InputError
from ssdsim.metrics.result import Result

MOST = 100_000
"""Commands in a timeline: what viewers open at once."""

Row = dict[str, Any]
Track = Mapping[str, int]
"""The numbers of a line of the picture and of the group that it is drawn in, as events have them."""


@define
class Timeline:
    """Events on tracks."""

    events: list[Row] = field(factory=list)
    _tracks: dict[str, Track] = field(factory=dict)

    def track(self, group: str, name: str = "") -> Track:
        """Return the track of a name in a group, or the group itself, which are made at their first use."""
        if (made := self._tracks.get(name or group)) is None:
            number = len(self._tracks) + 1  # viewers sort by it
            made = self._tracks[name or group] = {"pid": self.track(group)["pid"] if name else number, "tid": number}
            kind = "thread_name" if name else "process_name"
            self.events.append({"ph": "M", **made, "name": kind, "args": {"name": name or group}})
        return made

    def slice(self, track: Track, name: str, start_ns: int, end_ns: int, args: Row) -> None:
        """Add a slice to a track."""
        times = {"ts": start_ns / 1000, "dur": (end_ns - start_ns) / 1000}
        self.events.append({"ph": "X", "name": name, **track, **times, "args": args})

    def arrow(self, number: int, *ends: tuple[Track, int]) -> None:
        """Add an arrow from one slice to another, each of which begins on a track at a time."""
        for phase, (track, at_ns) in zip("sf", ends, strict=True):
            what = {"name": "request", "cat": "request", "bp": "e", "id": number}
            self.events.append({"ph": phase, **what, **track, "ts": at_ns / 1000})

    def save(self, path: Path) -> Path:
        """Write the file, and return where it is."""
        told = {"traceEvents": self.events, "displayTimeUnit": "ns"}
        path.write_text(json.dumps(told, separators=(",", ":")), encoding="utf-8")
        return path


def timeline_of(folder: Path, begin_s: float = 0.0, end_s: float | None = None) -> Timeline:
    """Return the timeline of the run in `folder` from `begin_s` to `end_s`.

    Raise InputError if it has kept no log of commands, or did nothing in that time, or more than viewers can show.
    """
    result = Result.load(folder)
    begin_ns, end_ns = round(begin_s * 1e9), 1 << 62 if end_s is None else round(end_s * 1e9)
    if not (folder / "commands.parquet").exists():
        raise InputError(f"{folder}: commands were not recorded; run with record=[requests,commands].")
    is_within = (pc.field("bus_start_ns") < end_ns) & (pc.field("end_ns") > begin_ns)
    commands = result.commands.filter(is_within).sort_by("bus_start_ns")
    if not 0 < (count := commands.num_rows) <= MOST:
        remedy = f"viewers show {MOST:,}; take a shorter window" if count else "take another window"
        raise InputError(
            f"{folder}: {count:,} commands were under way from {begin_s} s to {end_s or 'the end'}; {remedy}."
        )
    made, rows, requests = Timeline(), commands.to_pylist(), dict[int, tuple[Track, int]]()
    if (folder / "requests.parquet").exists():
        requests = _requests(made, result, {row["request"] for row in rows})
    hardware = yaml.safe_load((folder / "config.yaml").read_text(encoding="utf-8"))["hardware"]
    types = TYPE_NAMES[hardware.get("bits_used") or hardware["bits_per_cell"]]
    _flash(made, rows, requests, [*types, "slc"])  # which has the type -1
    return made


def _requests(made: Timeline, result: Result, wanted: set[int]) -> dict[int, tuple[Track, int]]:
    """Add the requests that are wanted and complete; return the track and the start of each.

    Requests that overlap lie on lines of their own, as many as there are at a time.
    """
    is_wanted = pc.field("id").isin(pa.array(wanted, pa.int64()))
    requests = result.requests.filter(is_wanted).sort_by("arrival_ns").to_pylist()
    starts: dict[int, tuple[Track, int]] = {}
    free: list[int] = []  # lines, the topmost first
    busy: list[tuple[int, int]] = []
    for request in requests:
        start_ns, end_ns = request["arrival_ns"], request["arrival_ns"] + request["response_ns"]
        while busy and busy[0][0] <= start_ns:
            heapq.heappush(free, heapq.heappop(busy)[1])
        line = heapq.heappop(free) if free else len(busy) + 1
        heapq.heappush(busy, (end_ns, line))
        track = made.track("host", f"request {line}")
        details = {name: request[name] for name in ("id", "stream", "offset_bytes", "size_bytes")}
        details |= {name: wait for name, wait in request.items() if name.startswith("blame_") and wait}
        made.slice(track, request["op"], start_ns, end_ns, details)
        starts[request["id"]] = track, start_ns
    return starts


def _flash(
    made: Timeline, rows: Sequence[Row], requests: Mapping[int, tuple[Track, int]], types: Sequence[str]
) -> None:
    """Add the buses, dies and planes, and what they did, with arrows from the requests."""
    for place in sorted({tuple(row[key] for key in ("channel", "chip", "die", "plane")) for row in rows}):
        for kind, length in (("bus", 1), ("die", 3), ("plane", 4)):
            _track(made, kind, *place[:length])  # in this order
    for number, row in enumerate(rows):
        name = f"{row['op']} {row['source']}"
        if row["op"] != "erase":
            name += f" {types[row['page_type']]}"
        details = {key: row[key] for key in ("block", "page", "lpa", "request", "queued_ns")}
        bus = _track(made, "bus", row["channel"])
        made.slice(bus, name, row["bus_start_ns"], row["array_start_ns"] - row.get("cached_ns", 0), details)
        if row["data_start_ns"] >= 0:
            made.slice(bus, f"{name} data", row["data_start_ns"], row["end_ns"], details)
        plane = _track(made, "plane", row["channel"], row["chip"], row["die"], row["plane"])
        made.slice(plane, name, row["array_start_ns"], row["array_end_ns"], details)
        if row["request"] in requests:
            made.arrow(number, requests[row["request"]], (plane, row["array_start_ns"]))

    def command(row: Row) -> tuple[int, ...]:  # which is several rows: those of one die whose array work began together
        return row["channel"], row["chip"], row["die"], row["array_start_ns"]

    for (*die, _), pages in groupby(sorted(rows, key=command), command):
        members = list(pages)
        name = members[0]["op"] + (f", {len(members)} planes" if len(members) > 1 else "")
        start_ns, end_ns = min(row["bus_start_ns"] for row in members), max(row["end_ns"] for row in members)
        made.slice(_track(made, "die", *die), name, start_ns, end_ns, {"source": members[0]["source"]})


def _track(made: Timeline, kind: str, *place: int) -> Track:
    return made.track(f"channel {place[0]}", f"{kind} {'.'.join(map(str, place))}")
