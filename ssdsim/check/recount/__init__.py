"""The figures of a summary, counted again from the tables of requests and commands alone (`check=summary`).

Nothing here is shared with what counts them (`ssdsim.metrics`, `ssdsim.run.measurement`).
"""

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from ssdsim.check.recount.claims import Claim, agree
from ssdsim.check.recount.flash import of_flash
from ssdsim.check.recount.power_loss import of_others, of_power_loss
from ssdsim.check.recount.requests import elapsed, of_requests
from ssdsim.check.recount.tables import Circumstances, Loss, commands_of, requests_of
from ssdsim.check.recount.writes import of_writes

__all__ = ["Circumstances", "Claim", "Loss", "differences", "recount"]


def recount(
    summary: dict[str, Any], requests: pa.Table, commands: pa.Table, unfinished: pa.Table, run: Circumstances
) -> list[Claim]:
    """Return the claims of the tables about the fields of `summary`; those of `of_others` follow from other figures.

    `unfinished` has, in the columns of `commands`, what was not over when power was cut, or at the end.
    """
    r = requests_of(requests, run)
    c = commands_of(commands, unfinished, run)
    return [
        *of_requests(r, run),
        *of_flash(c, run, elapsed(r, run)),
        *of_writes(r, c, run),
        *of_power_loss(c, run),
        *of_others(summary, run),
    ]


def differences(summary: dict[str, Any], counted: list[Claim]) -> Iterator[str]:
    """Yield a sentence for each field of the summary, or sum of fields, that is not what was counted."""
    for claim in counted:
        values = [value_at(summary, name) for name in claim.names]
        # a sum with a part that is not known is none
        written = values[0] if len(values) == 1 else None if None in values else sum(values)
        if not agree(written, claim.value):
            place, written, value = first_difference(written, claim.value)
            name = " + ".join(claim.names) + place
            yield f"{name} is {written} in the summary, but {value} by {claim.source}"


def first_difference(written: Any, counted: Any) -> tuple[str, Any, Any]:
    """Return the first place of two lists of a length where they do not agree, and both values there."""
    if isinstance(counted, list) and isinstance(written, list) and len(written) == len(counted):
        place = next(place for place, pair in enumerate(zip(written, counted, strict=True)) if not agree(*pair))
        return f"[{place}]", written[place], counted[place]
    return "", written, counted


def value_at(summary: dict[str, Any], name: str) -> Any:
    """Return the field of a dotted name."""
    value: Any = summary
    for part in name.split("."):
        value = value[int(part)] if isinstance(value, list) else value[part]
    return value
