"""Operations that begin or end beyond the measured run, by what the tables and the summary say of them."""

from collections import Counter
from typing import Any


def cut_off(out: Any) -> Counter[tuple[str, str]]:
    """Return the operations that the summary counts, and that were not over when the run ended, by cause.

    A read is counted when it has been sensed. If that was before the run began, its data may come in the run.
    """
    start_ns = round(out.summary["started_s"] * 1e9)
    done = Counter(
        (c["op"] + "s", c["source"])
        for c in out.commands
        if not (c["op"] == "read" and c["bus_start_ns"] < start_ns >= c["array_end_ns"])
    )
    counted = {(op, source): n for op, by in out.summary["flash"].items() for source, n in by.items() if n}
    assert not done - Counter(counted)
    return Counter(counted) - done
