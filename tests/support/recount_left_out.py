"""The fields of a summary that the tables do not tell, each with the reason."""

SAID = "it says what was run, and counts nothing of it"
JUDGED = "it judges other figures, by rules of its own"
ESTIMATED = "it estimates how far other figures would vary, and counts nothing"
MACHINE = "it is about the machine that made the run"
ALONE = "it compares the run with others, in which streams go alone"
BLOCKS = "it is the state of blocks, which check=end recounts from the flash up"
LOST = "it is about content, which integrity=on follows"
CACHE = "it is about a table in memory, of which neither a request nor a command tells"
RECOVERY = "the recovery takes no command"
MOMENT = "it holds up to the moment at which the round ended, with what was handed to the flash and not begun"
PREPARED = "it is about what was before the measured run"

LEFT_OUT = {
    "schema": SAID,
    "timing": SAID,
    "kernel": SAID,
    "write_complete": SAID,
    "partial": SAID,
    "error": SAID,
    "seed": SAID,
    "config_hash": SAID,
    "versions.<package>": SAID,
    "traces": SAID,
    "traces.<stream>": SAID,
    "started_s": "it is where the recount begins",
    "validity": JUDGED,
    "validity.<finding>.code": JUDGED,
    "validity.<finding>.numbers": JUDGED,
    "validity.<finding>.numbers.<field>": JUDGED,
    "validity.<finding>.sentence": JUDGED,
    "requests.<op>.response_us_ci95.mean": ESTIMATED,
    "requests.<op>.response_us_ci95.<percentile>": ESTIMATED,
    "iops_ci95": ESTIMATED,
    "write_amplification_ci95": ESTIMATED,
    "write_amplification_by_bytes": "its pages are those of write_amplification, and its bytes those of requests.write",
    "utilization.dram": "neither requests nor commands tell how much of each page was moved",
    **{f"slowdown.{name}": ALONE for name in ("fairness", "weighted_speedup")},
    **{f"slowdown.streams.<stream>.{name}": ALONE for name in ("slowdown", "shared_us", "alone_us")},
    "slc_cache.folded_blocks": BLOCKS,
    "slc_cache.folded_pages": BLOCKS,
    "passes.most_pages_held": "its largest value depends on the order of what happens in an instant",
    "wasted_pages": "no command is made for a page that is passed over",
    "page_types.free_<type>": BLOCKS,
    "rounds.<round>.free_<type>": BLOCKS,
    "rounds.<round>.gc_collections": MOMENT,
    "rounds.<round>.write_amplification": MOMENT,
    "gc.unused_pages": BLOCKS,
    "mapping.scheme": SAID,
    "mapping.hits": CACHE,
    "mapping.misses": CACHE,
    "mapping.memory_bytes": CACHE,
    "mapping.peak_entries": CACHE,
    "mapping.merges.<merge>": "commands do not tell one kind of merge from another",
    "power_loss": "there was no loss of power",
    "power_loss.promise": SAID,
    "power_loss.erased_blocks": RECOVERY,
    "power_loss.pages_read": RECOVERY,
    "power_loss.recovered": LOST,
    "power_loss.lost_in_flash": LOST,
    "power_loss.lost_buffered": LOST,
    "power_loss.trims_undone": LOST,
    "precondition.mode": PREPARED,
    "precondition.fill_share": PREPARED,
    "precondition.valid_share": PREPARED,
    "precondition.windows": PREPARED,
    "precondition.write_amplification": PREPARED,
    "precondition.settled": PREPARED,
    "simulator.wall_s": MACHINE,
    "simulator.precondition_loaded": MACHINE,
    "simulator.transactions_per_s": MACHINE,
    "simulator.peak_rss_mib": MACHINE,
}
"""By name in the dictionary of fields (`ssdsim.metrics.fields`); all below `workload` is what was asked for, too."""
