"""The columns of the tables beside `summary.json`, and the metadata that they take from here."""

from collections.abc import Mapping

import pyarrow as pa

from ssdsim.metrics.fields.field import Field

TIMESERIES = (
    Field("time_s", "s", "Begin of the window, counted from that of the measured run."),
    Field("window_s", "s", "Length of the window; all are of the same, which doubles where there would be too many."),
    Field("reads", "requests", "Reads completed in the window."),
    Field("writes", "requests", "Writes completed in the window."),
    Field("iops", "1/s", "Reads and writes completed a second."),
    Field("bandwidth_mib_s", "MiB/s", "What reads and writes carried a second."),
    Field("write_bandwidth_mib_s", "MiB/s", "What writes carried a second."),
    Field("read_response_us", "us", "Mean response time of the reads.", "no read was completed"),
    Field("write_response_us", "us", "Mean response time of the writes.", "no write was completed"),
    Field("requested_page_writes", "pages", "Pages that the host's writes touched."),
    Field("host_page_writes", "pages", "Pages of the host's data written to flash."),
    Field("gc_page_moves", "pages", "Valid pages that collection moved."),
    Field("gc_collections", "collections", "Blocks, or groups of aligned blocks, that were collected."),
    Field("erases", "blocks", "Blocks that were erased."),
    Field("host_programs", "pages", "Programs of the host's pages."),
    Field("host_programs_joined", "pages", "Those of them done by commands of several planes."),
    Field("host_reads", "pages", "Flash reads of the host's pages."),
    Field("host_reads_joined", "pages", "Those of them done by commands of several planes."),
    Field("backup_pages", "pages", "Pages that backups were written to."),
    Field("write_amplification", "1", "All pages written to flash over requested_page_writes.", "none was requested"),
    Field("free_blocks", "blocks", "Free blocks at the end of the window."),
    Field("queue_depth", "requests", "Requests in the device, on average.", "no time passed since the row before"),
    Field("buffer_utilization", "share", "Write buffer that was taken at the end of the window.", "no write buffer"),
    Field("lsb_quota", "pages", "LSB pages that may still be written ahead (flexFTL).", "the stack has no quota"),
    Field("backlog", "requests", "Requests of open loops that had arrived and were not in the device, at the end."),
    Field("in_flight", "requests", "Requests in the device at the end of the window."),
    *(
        Field(
            f"{op}_<timed>_us",
            "us",
            f"Percentile of the {op}s' response times in the window, at most 1.6 percent too high.",
            f"no {op} was completed",
        )
        for op in ("read", "write")
    ),
    Field("free_<type>", "pages", "Unused pages of the type at the end of the window.", "the device has no such type"),
)

BY_STREAM = (
    *TIMESERIES[:2],
    Field("stream", "", "Name of the stream."),
    *(field for field in TIMESERIES if field.name in ("reads", "writes", "iops", "bandwidth_mib_s")),
    *(field for field in TIMESERIES if field.name.endswith("_us")),
)

BY_CHANNEL = (
    TIMESERIES[0],
    Field("channel", "", "Number of the channel."),
    Field(
        "utilization", "share", "Of the time, that in which its bus was taken.", "no time passed since the row before"
    ),
)

LATENCY = (
    Field("op", "", "Operation: read or write."),
    Field("up_to_us", "us", "Longest response time that falls into the bin."),
    Field("count", "requests", "Requests in the bin; bins that hold none have no row."),
)

PLANES = (
    Field("plane", "", "Number of the plane: planes of a die are neighbours, and so are dies of a chip."),
    Field("host_programs", "pages", "Pages of the host written there.", "without flash timing"),
    Field("programs", "pages", "All pages written there.", "without flash timing, where blocks do not tell"),
    Field("erases", "blocks", "Blocks erased there."),
)

REQUESTS = (
    Field("id", "", "Number of the request, in the order of admission."),
    Field("stream", "", "Number of its stream; the main one is 0."),
    Field("arrival_ns", "ns", "When it arrived; in a closed loop, when it was admitted."),
    Field("admitted_ns", "ns", "When it was given a place in the device queue."),
    Field("op", "", "Operation: read, write, trim or flush."),
    Field("offset_bytes", "bytes", "Where it begins."),
    Field("size_bytes", "bytes", "How long it is."),
    Field(
        "response_ns", "ns", "Time from its arrival to its completion: the sum of the parts; urgent_gc is one of gc."
    ),
    Field("queue_ns", "ns", "Waiting for anything but what follows, of the page that finished last, as in all parts."),
    Field("bus_ns", "ns", "Command and data on the channel's bus."),
    Field("array_ns", "ns", "The array's read or program."),
    Field("gc_ns", "ns", "Delayed by collection."),
    Field("urgent_gc_ns", "ns", "Of that, by collection that the host's writes had to wait for."),
    Field("mapping_ns", "ns", "Waiting for an entry of a mapping table that lies in flash."),
    Field("buffer_ns", "ns", "Moved into the DRAM of the write buffer or out of it; a wait for that is queue."),
    Field("buffer_pages", "pages", "Pages of it that the write buffer had: read there, or written over."),
)

COMMANDS = (
    Field("op", "", "Operation: read, program, erase or copyback."),
    Field("source", "", "What it was for: host, gc, mapping, backup, merge or refresh."),
    Field(
        "content",
        "",
        "What it writes: data; asked, data of the host for a row of collection; fill, what completes a super page; "
        "padding, what completes a row; none, by a read or an erase.",
    ),
    Field("channel", "", "Channel."),
    Field("chip", "", "Chip within the channel."),
    Field("die", "", "Die within the chip."),
    Field("plane", "", "Plane within the die."),
    Field("block", "", "Block within the plane."),
    Field("page", "", "Page within the block; of an erase, 0."),
    Field("page_type", "", "Type of the page, 0 the fastest."),
    Field("specified_type", "", "Type that a scheme specified for a page of the host's; -1 where none did."),
    Field("lpa", "", "Logical page; -1 where it is none."),
    Field("copied_from", "", "Physical page that a copy-back reads; -1 for all else."),
    Field("request", "", "Number of the request that the page is read or written for; -1 where it is for none."),
    Field("bytes", "bytes", "Data of the page on the bus; 0 of an erase and a copy-back."),
    Field(
        "valid_pages",
        "pages",
        "Of the erase of a block that was collected: its pages that were valid when it was chosen; -1 for all else.",
    ),
    Field("queued_ns", "ns", "When it was queued for its die."),
    Field("bus_start_ns", "ns", "When it took the bus for command and, of a program, data."),
    Field("array_start_ns", "ns", "When it left the bus and the array began."),
    Field("array_end_ns", "ns", "When the array was done."),
    Field("data_start_ns", "ns", "When a read's data took the bus; -1 for all else."),
    Field("end_ns", "ns", "When it was over."),
    Field(
        "waited_ns", "ns", "Of a page write of the host: its wait for room, or for a die, before it was queued for one."
    ),
    Field("gc_ns", "ns", "Delayed by collection, since it came; that wait for room is part of it."),
    Field("ends_eviction", "", "Whether it is the last of the pages that left the write buffer together: 1, else 0."),
)

SWEEP = (
    Field("job", "", "Number of the run in its sweep.", "the run is of no sweep"),
    Field("folder", "", "Its folder, below that of the sweep."),
    Field("status", "", "How it went: completed, failed, crashed, interrupted or refused.", "the run is of no sweep"),
    Field("message", "", "Why it has no results, or partial ones.", "nothing went wrong"),
    Field("validity", "", "Codes of what speaks against its numbers. Empty if nothing does.", "it has no results"),
    Field("<key>", "", "An override, by its key: a group as ftl/gc, or a key as seed.", "it was not overridden"),
    Field("<field>", "", "Each single value of summary.json, by its dotted name.", "as there, or it has no results"),
    Field("summary.<field>", "", "The same of a field that is called like an override, where they differ.", "as there"),
)
"""What `sweep.parquet` has a row a run of."""

TABLES: dict[str, tuple[Field, ...]] = {
    "timeseries": TIMESERIES,
    "timeseries_by_stream": BY_STREAM,
    "timeseries_by_channel": BY_CHANNEL,
    "latency": LATENCY,
    "planes": PLANES,
    "requests": REQUESTS,
    "commands": COMMANDS,
}
"""The fields of each Parquet file, by its name without the ending."""


def described(name: str, schema: pa.Schema) -> pa.Schema:
    """Return the schema of table `name` with, in the metadata of each field, its description, unit and null."""

    def with_metadata(column: pa.Field) -> pa.Field:
        entry = next((field for field in TABLES[name] if field.covers(column.name)), None)
        return column if entry is None else column.with_metadata(metadata(entry))

    return pa.schema(map(with_metadata, schema))


def metadata(entry: Field) -> Mapping[str, str]:
    """Return the metadata that a column of a Parquet file has on the field that it holds."""
    facts = {"description": entry.meaning, "unit": entry.unit, "null": entry.null}
    return {key: text for key, text in facts.items() if text}
