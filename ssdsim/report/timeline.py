"""What each bus, die and plane did when, for the viewers of Perfetto and of Chrome's tracing.

A timeline has tracks that hold slices; a slice may have flows that lead from it to others. Times are nanoseconds of
simulated time. It is made from the logs of a run (`record=[requests,commands]`), of a window of time or of so many
commands, as viewers hold what they show in memory.
"""

import heapq
import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import yaml
from attrs import define, field, frozen

from ssdsim._core.program_order import TYPE_NAMES
from ssdsim.errors import InputError
from ssdsim.metrics.parquet import damage_told
from ssdsim.metrics.result import Result

MOST = 100_000
"""Commands in a timeline, if not told otherwise: some ten megabytes, which viewers open at once."""

Row = dict[str, Any]


@define
class Track:
    """A line of the picture: `group` is what it is drawn below, `rank` its place there."""

    group: str
    name: str
    rank: int = 0


@frozen
class Slice:
    """Something that lasts on track number `track`; `flows_out` and `flows_in` are numbers of flows."""

    track: int
    name: str
    start_ns: int
    end_ns: int
    details: dict[str, Any]
    flows_out: tuple[int, ...] = ()
    flows_in: tuple[int, ...] = ()


@frozen
class Count:
    """What the counter on track number `track` shows from a time on."""

    track: int
    at_ns: int
    value: float


@define
class Timeline:
    """Tracks, what lies on them, and how many commands there were to choose from."""

    tracks: list[Track] = field(factory=list)
    slices: list[Slice] = field(factory=list)
    counts: list[Count] = field(factory=list)
    commands: int = 0
    of_commands: int = 0

    def track(self, *place: Any) -> int:
        """Return the number of a new track."""
        self.tracks.append(Track(*place))
        return len(self.tracks) - 1

    def groups(self) -> list[str]:
        """Return the groups of the tracks, each once."""
        return list(dict.fromkeys(track.group for track in self.tracks))


def timeline(
    folder: str | Path, begin_s: float = 0.0, end_s: float | None = None, max_commands: int = MOST
) -> Timeline:
    """Return the timeline of the run in `folder` from `begin_s` to `end_s`, of at most so many commands, the first.

    Raise InputError if it has kept no log of commands, or did nothing in that time.
    """
    result = Result.load(folder)
    begin_ns = round(begin_s * 1e9)
    end_ns = 1 << 62 if end_s is None else round(end_s * 1e9)
    rows = _commands(Path(folder), begin_ns, end_ns)
    if not rows:
        raise InputError(f"{folder}: no command was under way from {begin_s} s to {end_s or 'the end'}.")
    made = Timeline(of_commands=len(rows))
    rows = rows[:max_commands]
    made.commands = len(rows)
    if made.commands < made.of_commands:
        end_ns = rows[-1]["bus_start_ns"]
    flows = _requests(made, Path(folder), rows)
    hardware = yaml.safe_load((Path(folder) / "config.yaml").read_text(encoding="utf-8"))["hardware"]
    types = TYPE_NAMES[hardware.get("bits_used") or hardware["bits_per_cell"]]
    _flash(made, rows, flows, [*types, "slc"])  # which has the type -1
    _counters(made, result, begin_ns, end_ns)
    return made


def _commands(folder: Path, begin_ns: int, end_ns: int) -> list[Row]:
    """Return the commands that were under way in the window, by their begin."""
    path = folder / "commands.parquet"
    if not path.exists():
        raise InputError(f"{folder}: commands were not recorded; run with record=[requests,commands].")
    with damage_told(path):
        table = pq.read_table(path, filters=[("bus_start_ns", "<", end_ns), ("end_ns", ">", begin_ns)])
    return list(table.sort_by("bus_start_ns").to_pylist())


def _requests(made: Timeline, folder: Path, rows: list[Row]) -> dict[int, int]:
    """Add the requests that the commands work for; return the number of the flow to each of these, by their place.

    Requests that overlap lie on lines of their own, as many as there are at a time.
    """
    path = folder / "requests.parquet"
    wanted = pa.array(sorted({row["request"] for row in rows if row["request"] >= 0}), pa.int64())
    if not path.exists() or not len(wanted):
        return {}
    with damage_told(path):
        table = pq.read_table(path, filters=pc.field("id").isin(wanted)).sort_by("arrival_ns")
    complete = set(table["id"].to_pylist())  # not those that a loss of power, or the end of a stopped run, cut off
    flows = {place: place + 1 for place, row in enumerate(rows) if row["request"] in complete}
    by_request: dict[int, list[int]] = {}
    for place, flow in flows.items():
        by_request.setdefault(rows[place]["request"], []).append(flow)
    free: list[int] = []  # lines, the topmost first
    busy: list[tuple[int, int]] = []
    for request in table.to_pylist():
        start_ns = request["arrival_ns"]
        end_ns = start_ns + request["response_ns"]
        while busy and busy[0][0] <= start_ns:
            heapq.heappush(free, heapq.heappop(busy)[1])
        line = heapq.heappop(free) if free else made.track("host", f"request {len(busy) + 1}", len(busy))
        heapq.heappush(busy, (end_ns, line))
        details = {name: request[name] for name in ("id", "stream", "offset_bytes", "size_bytes")}
        details |= {name: wait for name, wait in request.items() if name.startswith("blame_") and wait}
        made.slices.append(
            Slice(line, request["op"], start_ns, end_ns, details, flows_out=tuple(by_request[request["id"]]))
        )
    return flows


def _flash(made: Timeline, rows: list[Row], flows: dict[int, int], types: Sequence[str]) -> None:
    """Add the buses, dies and planes, and what they did."""
    dies = sorted({(row["channel"], row["chip"], row["die"], row["plane"]) for row in rows})
    wanted: dict[tuple[str, tuple[int, ...]], int] = {}  # tracks with their ranks, in the order in which they are drawn
    for channel, in_channel in groupby(dies, lambda place: place[0]):
        wanted["bus", (channel,)] = 0
        for rank, place in enumerate(in_channel):
            wanted.setdefault(("die", place[:3]), 1 + 2 * rank)
            wanted["plane", place] = 2 + 2 * rank
    number = {
        (name, place): made.track(f"channel {place[0]}", f"{name} {'.'.join(map(str, place))}", rank)
        for (name, place), rank in wanted.items()
    }
    for index, row in enumerate(rows):
        die = (row["channel"], row["chip"], row["die"])
        name = f"{row['op']} {row['source']}"
        if row["op"] in ("read", "program", "copyback"):
            name += f" {types[row['page_type']]}"
        details = {key: row[key] for key in ("block", "page", "lpa", "request", "queued_ns")}
        flow = (flows[index],) if index in flows else ()
        bus, plane = number["bus", die[:1]], number["plane", (*die, row["plane"])]
        left_ns = row["array_start_ns"] - row.get("cached_ns", 0)
        made.slices.append(Slice(bus, name, row["bus_start_ns"], left_ns, details))
        if row["data_start_ns"] >= 0:
            made.slices.append(Slice(bus, f"{name} data", row["data_start_ns"], row["end_ns"], details))
        made.slices.append(Slice(plane, name, row["array_start_ns"], row["array_end_ns"], details, flows_in=flow))
    made.slices.extend(_of_dies(rows, lambda die: number["die", die]))


def _of_dies(rows: Iterable[Row], track: Any) -> Iterator[Slice]:
    """Yield a slice for each command, which may be several rows: those of one die whose array work began together."""

    def command(row: Row) -> tuple[int, ...]:
        return row["channel"], row["chip"], row["die"], row["array_start_ns"]

    for (*die, _), pages in groupby(sorted(rows, key=command), command):
        members = list(pages)
        first = members[0]
        name = f"{first['op']}" + (f", {len(members)} planes" if len(members) > 1 else "")
        start_ns, end_ns = min(row["bus_start_ns"] for row in members), max(row["end_ns"] for row in members)
        yield Slice(track(tuple(die)), name, start_ns, end_ns, {"source": first["source"]})


def _counters(made: Timeline, result: Result, begin_ns: int, end_ns: int) -> None:
    """Add the requests in the device and the free blocks, window by window of the time series."""
    series = result.timeseries
    started_ns = round(result.summary["started_s"] * 1e9)
    for rank, (name, title) in enumerate((("queue_depth", "requests in the device"), ("free_blocks", "free blocks"))):
        track = made.track("counters", title, rank)
        for row in series.select(["time_s", "window_s", name]).to_pylist():
            # rows have the time since the measured run began
            at_ns, value = started_ns + round(row["time_s"] * 1e9), row[name]
            if value is not None and at_ns < end_ns and at_ns + round(row["window_s"] * 1e9) > begin_ns:
                made.counts.append(Count(track, at_ns, value))


def write_chrome(made: Timeline, path: str | Path) -> None:
    """Write `made` in the JSON format of Chrome's tracing, which Perfetto's viewer reads, too."""
    groups = made.groups()
    place = [{"pid": 1 + groups.index(track.group), "tid": 1 + number} for number, track in enumerate(made.tracks)]
    process = [{"pid": track["pid"]} for track in place]
    counters = {count.track for count in made.counts}  # which are events of a process, and have no thread
    told: list[tuple[str, dict[str, int], str, int]] = []
    told += [("process", {"pid": number}, group, number) for number, group in enumerate(groups, 1)]
    told += [
        ("thread", place[number], track.name, track.rank)
        for number, track in enumerate(made.tracks)
        if number not in counters
    ]
    events: list[dict[str, Any]] = []
    for kind, owner, name, rank in told:
        events.append({"ph": "M", **owner, "name": f"{kind}_name", "args": {"name": name}})
        events.append({"ph": "M", **owner, "name": f"{kind}_sort_index", "args": {"sort_index": rank}})
    for piece in made.slices:
        start = {**place[piece.track], "ts": piece.start_ns / 1000}  # us, as Chrome counts
        lasts = (piece.end_ns - piece.start_ns) / 1000
        events.append({"ph": "X", "name": piece.name, "dur": lasts, "args": piece.details, **start})
        for phase, flows in (("s", piece.flows_out), ("f", piece.flows_in)):
            flow = {"ph": phase, "name": "request", "cat": "request"}
            events += [{**flow, "id": number, "bp": "e", **start} for number in flows]
    for count in made.counts:
        shown = {"ph": "C", **process[count.track], "name": made.tracks[count.track].name, "ts": count.at_ns / 1000}
        events.append({**shown, "args": {"value": count.value}})
    text = json.dumps({"traceEvents": events, "displayTimeUnit": "ns"}, separators=(",", ":"))
    Path(path).write_text(text, encoding="utf-8")


def write_perfetto(made: Timeline, path: str | Path) -> None:
    """Write `made` in Perfetto's own format; raise InputError if the package that does so is not installed."""
    try:
        from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import TrackDescriptor, TrackEvent
        from perfetto.trace_builder.proto_builder import StreamingTraceProtoBuilder
    except ImportError:
        raise InputError(
            "a timeline for Perfetto needs the package perfetto: pip install 'ssdsim[timeline]', or take --chrome."
        ) from None
    groups = made.groups()
    uuids = range(len(groups) + 1, len(groups) + len(made.tracks) + 1)  # of tracks, after those of the groups
    counters = {count.track for count in made.counts}
    with Path(path).open("wb") as file:
        trace = StreamingTraceProtoBuilder(file)

        def packet() -> Any:
            begun = trace.create_packet()
            # one sequence, as one writer makes all packets
            begun.trusted_packet_sequence_id = 1
            return begun

        def describe(uuid: int, name: str, rank: int, **facts: int) -> Any:
            described = packet()
            told = {"uuid": uuid, "name": name, "sibling_order_rank": rank, **facts}
            for fact, value in told.items():
                setattr(described.track_descriptor, fact, value)
            return described

        for number, group in enumerate(groups, 1):
            trace.write_packet(describe(number, group, number, child_ordering=TrackDescriptor.EXPLICIT))
        for number, (uuid, track) in enumerate(zip(uuids, made.tracks, strict=True)):
            described = describe(uuid, track.name, track.rank, parent_uuid=1 + groups.index(track.group))
            if number in counters:
                described.track_descriptor.counter.SetInParent()
            trace.write_packet(described)
        for at_ns, kind, _, event in _ordered(made):
            told = packet()
            told.timestamp, told.track_event.track_uuid = at_ns, uuids[event.track]
            if kind == _COUNT:
                told.track_event.type = TrackEvent.TYPE_COUNTER
                told.track_event.double_counter_value = event.value
            elif kind in (_END, _END_AT_ONCE):
                told.track_event.type = TrackEvent.TYPE_SLICE_END
            else:
                told.track_event.type = TrackEvent.TYPE_SLICE_BEGIN
                told.track_event.name = event.name
                told.track_event.flow_ids.extend(event.flows_out)
                told.track_event.terminating_flow_ids.extend(event.flows_in)
                for name, value in event.details.items():
                    word = {"string_value": value} if isinstance(value, str) else {"int_value": value}
                    told.track_event.debug_annotations.add(name=name, **word)
            trace.write_packet(told)


_END, _COUNT, _BEGIN, _END_AT_ONCE = range(4)


def _ordered(made: Timeline) -> list[tuple[int, int, int, Any]]:
    """Return begins, ends and counts by time: at one instant ends first, and the longest of several that begin."""
    events: list[tuple[int, int, int, Any]] = [(count.at_ns, _COUNT, 0, count) for count in made.counts]
    for piece in made.slices:
        end = _END if piece.end_ns > piece.start_ns else _END_AT_ONCE
        events += [(piece.start_ns, _BEGIN, -piece.end_ns, piece), (piece.end_ns, end, -piece.start_ns, piece)]
    # not by events themselves, which have no order: sorting is stable
    return sorted(events, key=lambda event: event[:3])
