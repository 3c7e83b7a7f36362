"""The fields of `summary.json`, part by part in its order."""

from ssdsim.metrics.fields.field import Field

UNTIMED = "without flash timing (timing=off)"
NO_WRITES = "nothing was written"

RUN = (
    Field("schema", "", "Version of the names in this file and in the tables; raised when one changes its meaning."),
    Field("timing", "", "Whether there was flash timing: on or off."),
    Field("kernel", "", "Event kernel: compiled or simpy, which write the same."),
    Field("write_complete", "", "When a write without a write buffer is complete (flash.write_complete)."),
    Field("partial", "", "Whether the run was stopped, or failed, before its end."),
    Field("error", "", "What it failed with.", "it did not fail"),
    Field("seed", "", "Seed of all that was drawn at random."),
    Field("config_hash", "", "SHA-256 of the resolved configuration."),
    Field("versions.<package>", "", "Version of Python and of each package that decides about the numbers."),
    Field("traces", "", "The traces that were replayed; {} if there are none."),
    Field("traces.<stream>", "", "SHA-256 of the stream's trace.", "the file went away"),
    Field("simulated_s", "s", "Simulated time from the start of the measured run to the last completion."),
    Field("started_s", "s", "Simulated time when the measured run started: 0 but after writes with flash timing."),
)

VALIDITY = (
    Field(
        "validity", "", "What speaks against the numbers of the run, by the rules of ssdsim.metrics.validity; or []."
    ),
    Field("validity.<finding>.code", "", "A word for it."),
    Field("validity.<finding>.numbers", "", "The numbers that show it. Empty where there are none."),
    Field(
        "validity.<finding>.numbers.<field>",
        "",
        "One of the numbers, as the sentence has it.",
        "the device has no spare space to hold writes against",
    ),
    Field("validity.<finding>.sentence", "", "What it is, and which numbers it concerns."),
)

SIMULATOR = (
    Field("simulator.wall_s", "s", "What the run took on the machine that made it, preconditioning included."),
    Field(
        "simulator.precondition_loaded",
        "",
        "Whether the preconditioned device came from a file (checkpoint.load, precondition.keep).",
    ),
    Field(
        "simulator.transactions_per_s",
        "1/s",
        "Flash transactions of the measured run simulated a second of the machine's time.",
        "no time passed",
    ),
    Field("simulator.peak_rss_mib", "MiB", "Most memory that the process has held so far, earlier runs included."),
)

REQUESTS = (
    Field("requests.<request>.count", "requests", "Requests of the operation that were completed."),
    Field("requests.<op>.bytes", "bytes", "What they read or wrote."),
    Field("requests.trim.bytes", "bytes", "What they trimmed."),
    Field(
        "requests.<request>.response_us.mean",
        "us",
        "Mean response time, from arrival to completion, the wait for a place in the device queue included; 0 of none.",
        UNTIMED,
    ),
    Field("requests.<request>.response_us.std", "us", "Standard deviation of the response times.", UNTIMED),
    Field(
        "requests.<request>.response_us.<percentile>",
        "us",
        "Least response time that this percentage of the requests does not exceed: exact for 1,048,576 requests of an "
        "operation, and at most 0.4 percent too high for more.",
        UNTIMED,
    ),
    Field("requests.<request>.response_us.max", "us", "Longest response time.", UNTIMED),
    Field(
        "requests.<request>.response_us.queue",
        "us",
        "Part of the mean: waiting for anything but what follows, of the page that finished last, as in all parts.",
        UNTIMED,
    ),
    Field(
        "requests.<request>.response_us.bus", "us", "Part of the mean: command and data on the channel's bus.", UNTIMED
    ),
    Field("requests.<request>.response_us.array", "us", "Part of the mean: the array's reads and programs.", UNTIMED),
    Field("requests.<request>.response_us.gc", "us", "Part of the mean: delayed by collection.", UNTIMED),
    Field(
        "requests.<request>.response_us.urgent_gc",
        "us",
        "Part of gc: delayed by collection that the host's writes had to wait for.",
        UNTIMED,
    ),
    Field(
        "requests.<request>.response_us.mapping",
        "us",
        "Part of the mean: waiting for an entry of a mapping table that lies in flash.",
        UNTIMED,
    ),
    Field(
        "requests.<request>.response_us.buffer",
        "us",
        "Part of the mean: moved into the DRAM of the write buffer or out of it; a wait for others there is in queue.",
        UNTIMED,
    ),
    Field("requests.<request>.tail.<slowest>.requests", "requests", "How many that is, at least one of any.", UNTIMED),
    Field(
        "requests.<request>.tail.<slowest>.response_us",
        "us",
        "Mean response time of the slowest hundredth or thousandth of the requests.",
        f"{UNTIMED}, or there were none",
    ),
    Field(
        "requests.<request>.tail.<slowest>.<part>",
        "us",
        "Part of it, as those of response_us: what the slowest waited for.",
        f"{UNTIMED}, or there were none",
    ),
    Field("streams", "", "Requests by stream; for each the operations, as in requests.", UNTIMED),
    Field("streams.<stream>.<request>.count", "requests", "Requests of the stream that were completed."),
    Field("streams.<stream>.<request>.bytes", "bytes", "What they read, wrote or trimmed; 0 of flushes."),
    Field(
        "streams.<stream>.<request>.response_us.<statistic>",
        "us",
        "Mean, standard deviation, a percentile or the longest of their response times.",
        "there were none",
    ),
    Field("sizes", "", "Requests by size, in classes of powers of two KiB: each is larger than those before.", UNTIMED),
    Field("sizes.<size>.<sized>.count", "requests", "Requests of the class that were completed."),
    Field("sizes.<size>.<sized>.bytes", "bytes", "What they read, wrote or trimmed."),
    Field(
        "sizes.<size>.<sized>.response_us.<statistic>",
        "us",
        "Mean, standard deviation, a percentile or the longest of their response times.",
        "there were none",
    ),
)

UNKNOWN = "too few requests, or batches that depend on each other too much"

CONFIDENCE = (
    Field(
        "requests.<op>.response_us_ci95.mean",
        "us",
        "Interval, low and high, that holds the mean response time of a longer run under the same load with 95 percent "
        "confidence: by batch means (ssdsim.metrics.confidence). Of a load that changes by itself, such as a trace, it "
        "tells how much the mean varies along the run.",
        f"{UNTIMED}, {UNKNOWN}",
        several=True,
    ),
    Field(
        "requests.<op>.response_us_ci95.<percentile>",
        "us",
        "The same of a percentile, from those of the batches.",
        f"{UNTIMED}, {UNKNOWN}",
        several=True,
    ),
    Field("iops_ci95", "1/s", "The same of iops.", f"{UNTIMED}, {UNKNOWN}", several=True),
    Field(
        "write_amplification_ci95",
        "1",
        "The same of write_amplification.",
        f"nothing was written, {UNKNOWN}",
        several=True,
    ),
)

THROUGHPUT = (
    Field("iops", "1/s", "Reads and writes completed a second of simulated time.", f"{UNTIMED}, or no time passed"),
    Field(
        "bandwidth_mib_s",
        "MiB/s",
        "What these reads and writes carried a second of simulated time.",
        f"{UNTIMED}, or no time passed",
    ),
    Field("queue_depth.mean", "requests", "Requests in the device at a time, on average.", "no time passed"),
    Field("queue_depth.max", "requests", "Most requests in the device at a time.", UNTIMED),
    Field(
        "utilization.channel",
        "share",
        "Of each channel, in order: the share of the time in which its bus was taken. Empty without timing.",
        several=True,
    ),
    Field(
        "utilization.die", "share", "Of each die: the share of the time in which it executed a command.", several=True
    ),
    Field(
        "utilization.plane", "share", "Of each plane: the share of the time in which its array was busy.", several=True
    ),
)

WRITES = (
    Field("requested_page_writes", "pages", "Pages that the host's writes touched, each write counted anew."),
    Field("host_page_writes", "pages", "Pages of the host's data written to flash: those that left the write buffer."),
    Field(
        "write_amplification",
        "1",
        "All pages written to flash, whatever for, over requested_page_writes.",
        "no page write was requested",
    ),
    Field(
        "flash_write_amplification",
        "1",
        "All pages written to flash over host_page_writes.",
        "no page of the host's was written to flash",
    ),
    Field("filled_pages", "pages", "Pages written to complete a super page, with data that had to be read for that."),
    Field("padded_pages", "pages", "Pages written to complete a row that too few pages were there for."),
    Field("wasted_pages", "pages", "Pages passed over so that a copy-back finds one of the parity, or type, it needs."),
    Field(
        "page_writes_per_plane_std",
        "pages",
        "Standard deviation over the planes of the pages written to them: PCFTL's SDWPP (its section 5.1).",
        "page writes by plane are not known (planes.parquet)",
    ),
    Field("buffer.hit_ratio", "share", "Page accesses that the write buffer served.", "no buffer, or no access"),
    Field("buffer.read_hits", "pages", "Pages read from the write buffer."),
    Field("buffer.write_hits", "pages", "Pages written over in the write buffer, before they were in flash."),
)

READS = (
    Field("memory_reads", "pages", "Pages read from controller memory, as they were on their way to flash."),
    Field("unmapped_reads", "pages", "Pages read that nothing was ever written to, or that were trimmed."),
    Field("coalesced_reads", "pages", "Pages that came along with a read of the same page (flash.coalesced_read_us)."),
)

PAGE_TYPES = (
    Field("page_types.fast", "share", "Writes whose slowest page was of the fastest type.", NO_WRITES),
    Field("page_types.medium", "share", "Writes whose slowest page was of a type between the two.", NO_WRITES),
    Field("page_types.slow", "share", "Writes whose slowest page was of the slowest of several types.", NO_WRITES),
    Field(
        "page_types.success_rate",
        "share",
        "Pages that were given the page type that was specified for them.",
        "none was specified",
    ),
    Field("page_types.free_<type>", "pages", "Unused pages of the type at the end.", "the device has no such type"),
)

ROUNDS = (
    Field("rounds", "", "The same by round of a workload that is repeated. Empty where it is not."),
    Field(
        "rounds.<round>.requests.<field>",
        "",
        "As in requests; of the round.",
    ),
    Field(
        "rounds.<round>.page_types.<field>",
        "",
        "As in page_types; of the round.",
        NO_WRITES,
    ),
    Field("rounds.<round>.free_<type>", "pages", "As in page_types; at its end.", "the device has no such type"),
    Field("rounds.<round>.gc_collections", "collections", "As gc.collections; from its start to its end."),
    Field("rounds.<round>.write_amplification", "1", "As for the whole run.", "no page write was requested"),
)

FLASH = (
    Field("flash.<operation>.<source>", "operations", "Flash operations of each kind, a page or block each, by cause."),
    Field("multi_plane.write_share", "share", "Programs done by commands of several planes.", "no programs"),
    Field("multi_plane.read_share", "share", "Reads done by commands of several planes.", "no reads"),
    Field("multi_plane.erase_share", "share", "Erases done by commands of several planes.", "no erases"),
    Field(
        "multi_plane.cases.<case>",
        "share",
        "The host's programs by what the other planes of the group did: took part (parallel), had a program of the "
        "host waiting (unaligned) or other work (mixed), or nothing (single). SPD, Fig. 2.",
        "programs are not joined, or there were none",
    ),
    Field(
        "planes_at_work.mean",
        "planes",
        "Planes of the device at work when an eviction from the write buffer was complete; without one, a page of the "
        "host (SPD, Fig. 11).",
        "there was no eviction, or no timing",
    ),
    Field("planes_at_work.max", "planes", "The most of them.", "there was no eviction, or no timing"),
    Field("wear.mean", "erases", "Erases of a block, since it was new, on average."),
    Field("wear.std", "erases", "Standard deviation of them over the blocks."),
    Field("wear.max", "erases", "Erases of the block that has most."),
)

COLLECTION = (
    Field("gc.collections", "collections", "Blocks, or groups of aligned blocks, that were collected."),
    Field("gc.page_moves", "pages", "Valid pages that collection moved."),
    Field("gc.unused_pages", "pages", "Pages that had not been written when their block was collected."),
    Field("gc.victim_valid_share", "share", "Pages of collected blocks that were valid.", "nothing was collected"),
    Field("gc.cost_us.read", "us", "Time of the arrays' reads for collection, planes of a command once.", UNTIMED),
    Field("gc.cost_us.write", "us", "The same of programs and copy-backs.", UNTIMED),
    Field("gc.cost_us.erase", "us", "The same of erases.", UNTIMED),
    Field("gc.cost_us.transfer", "us", "Time that moved pages were on the bus.", UNTIMED),
    Field("gc.blocked_writes", "pages", "Page writes of the host that waited for collection.", UNTIMED),
    Field("gc.blocked_write_us", "us", "What these took from being queued to being programmed, in all.", UNTIMED),
    Field("gc.write_us", "us", "What all page writes of the host took so.", UNTIMED),
)

MAPPING = (
    Field("mapping.scheme", "", "How addresses are mapped (ftl.mapping.scheme)."),
    Field("mapping.hit_ratio", "share", "Lookups that the cache of mapping entries answered.", "nothing is cached"),
    Field("mapping.hits", "lookups", "Lookups that the cache answered."),
    Field("mapping.misses", "lookups", "Lookups that it did not answer."),
    Field("mapping.reads", "pages", "Translation pages read."),
    Field("mapping.writes", "pages", "Translation pages written."),
    Field("mapping.memory_bytes", "bytes", "Memory that the scheme would take on a real controller."),
    Field("mapping.peak_entries", "entries", "Most entries that the cache has held.", "nothing is cached"),
    Field("mapping.merges.<merge>", "merges", "Merges of log blocks by kind; only with ftl.mapping.scheme=fast."),
)

BACKUP = (
    Field("backup.pages", "pages", "Pages that backups of paired pages were written to."),
    Field("backup.reads", "pages", "Pages read for backups."),
    Field("backup.erases", "blocks", "Erases of backup blocks."),
)

POWER_LOSS = (
    Field("power_loss", "", "What a loss of power cost.", "none was asked for (power_loss)"),
    Field("power_loss.at_s", "s", "When power was cut.", "the run ended before that"),
    Field("power_loss.promise", "", "What the stack promises about data in flash and in the buffer."),
    Field("power_loss.destroyed_programs", "pages", "Programs that were destroyed in the array."),
    Field("power_loss.destroyed_erases", "blocks", "Erases that were destroyed."),
    Field("power_loss.erased_blocks", "blocks", "Blocks erased during the reboot, as they held nothing of use."),
    Field("power_loss.spare_areas_read", "pages", "Spare areas read to rebuild the mapping."),
    Field("power_loss.scan_ms", "ms", "What that takes, all dies at a time."),
    Field("power_loss.pages_read", "pages", "Pages read to find and restore what was lost."),
    Field("power_loss.reboot_ms", "ms", "What that takes, one after the other, as flexFTL counts it."),
    Field("power_loss.mapping_ms", "ms", "What it takes to write a mapping table that lies in flash anew."),
    Field("power_loss.recovered", "pages", "Pages restored from backups."),
    Field("power_loss.lost_acknowledged", "pages", "Logical pages lost that the host had been told are written."),
    Field("power_loss.lost_in_flash", "pages", "Those of them that were in flash."),
    Field("power_loss.lost_buffered", "pages", "Those of them that were in controller memory."),
    Field("power_loss.trims_undone", "pages", "Trimmed pages that hold their data again."),
    Field("power_loss.aborted_requests", "requests", "Requests that were in the device and never completed."),
)

PRECONDITION = (
    Field("precondition.mode", "", "How the device was prepared (precondition.mode)."),
    Field("precondition.fill_share", "share", "Pages of the device that were written when the run began."),
    Field("precondition.valid_share", "share", "Those of them that held valid data."),
    Field("precondition.windows", "windows", "Windows of random writes; only with precondition=steady_state."),
    Field(
        "precondition.write_amplification",
        "1",
        "Pages written for the host and by collection over the host's, in the last window.",
    ),
    Field("precondition.settled", "", "Whether that differed little enough from the window before."),
)

WORKLOAD = (
    Field("workload.kind", "", "What sent the main stream's requests: trace, synthetic, or a class of your own."),
    Field("workload.seed", "", "Seed of a synthetic workload."),
    Field("workload.footprint_bytes", "bytes", "Part of the device that a synthetic workload uses."),
    Field("workload.align_bytes", "bytes", "What its offsets are multiples of."),
    Field("workload.slots", "offsets", "How many of these there are for a request of the largest size."),
    Field("workload.path", "", "File of a trace."),
    Field("workload.format", "", "Format that it was read as."),
    Field("workload.sha256", "", "Checksum of the part of the file that was read, unpacked."),
    Field("workload.sha256_of_bytes", "bytes", "Length of that part."),
    Field("workload.rows", "rows", "Rows that were read."),
    Field("workload.skipped", "rows", "Rows that were left out, by reason. Empty if none was."),
    Field("workload.skipped.<reason>", "rows", "Rows that were left out for this reason."),
    Field("workload.rounded", "rows", "Rows of which a time or a size was rounded."),
    Field("workload.requests", "requests", "Requests of a pass over the workload."),
    Field("workload.reads", "requests", "Reads of the trace."),
    Field("workload.writes", "requests", "Writes of the trace."),
    Field("workload.trims", "requests", "Trims of the trace."),
    Field("workload.flushes", "requests", "Flushes of the trace."),
    Field("workload.bytes.<request>", "bytes", "What the trace's requests of each operation carry."),
    Field("workload.access_latency_hints", "requests", "Requests of the trace with a hint about access latency."),
    Field("workload.devices", "devices", "Devices of the trace, whose addresses lie one after the other."),
    Field("workload.device_names", "", "Their names, as far as there are any."),
    Field("workload.reordered_rows", "rows", "Rows that were out of order and were sorted by time."),
    Field("workload.order", "", "What was done about rows out of order (workload.order)."),
    Field("workload.clock_jumps", "rows", "Places where the trace's clock was set."),
    Field("workload.span_s", "s", "Time from the trace's first request to its last."),
    Field("workload.addresses.<fact>", "", "How addresses were made to fit the device, and what that changed."),
    Field(
        "workload.<key>",
        "",
        "The configuration key of this name, as it was set.",
        "the key is null",
    ),
    Field(
        "workload.<key>.<field>",
        "",
        "A part of the configuration key of this name.",
        "the key is null",
    ),
    Field("workloads", "", "The same of each further stream. Empty if there is none."),
    Field("workloads.<stream>.<field>", "", "As in workload; of the stream.", "as there"),
)

SUMMARY: tuple[Field, ...] = (
    *RUN,
    *VALIDITY,
    *REQUESTS,
    *CONFIDENCE,
    *THROUGHPUT,
    *WRITES,
    *READS,
    *PAGE_TYPES,
    *ROUNDS,
    *FLASH,
    *COLLECTION,
    *MAPPING,
    *BACKUP,
    *POWER_LOSS,
    *PRECONDITION,
    *WORKLOAD,
    *SIMULATOR,
)
