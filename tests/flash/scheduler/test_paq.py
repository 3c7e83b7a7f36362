"""Conflict-aware scheduling (PAQ), worked out by hand; that the largest command goes first, `test_own.py` shows too."""

import pytest

from support.requests import read, reads, writes
from support.tiny_device import TRANSFER

LATER = 10_000_000


def paired(policy):
    """Return changes by which even and odd pages are in two planes of a die, which read pairs of them at once."""
    return {
        "hardware": {"planes_per_die": 2},
        "flash": {"multi_plane": ["read"]},
        "ftl": {"plane_allocation": "PCWD", "bac": True},
        "scheduler": {"policy": policy},
    }


@pytest.mark.parametrize("pass_limit", [0, 1, 2, 5])
def test_none_is_passed_for_ever(run, pass_limit):
    """Reads of two planes, seven pairs of pages, pass the one of page 0 twice each."""
    changes = paired("paq")
    changes["scheduler"]["options"] = {"pass_limit": pass_limit}
    rows = [*writes(*range(16)), *reads(15, at=LATER), *reads(0, *range(2, 16), at=LATER + 1)]
    found = sorted(run(rows, changes).commands, key=lambda c: c["bus_start_ns"])
    starts = list(dict.fromkeys(c["bus_start_ns"] for c in found if c["queued_ns"] > LATER))
    (alone,) = [c["bus_start_ns"] for c in found if c["op"] == "read" and c["lpa"] == 0]
    assert starts.index(alone) == (pass_limit + 1) // 2


ALONE, PAIR = 100 + 10_000 + TRANSFER, 200 + 10_000 + TRANSFER  # until the first page of a command is read


@pytest.mark.parametrize(
    ("policy", "ends"),
    [
        ("read_priority", [ALONE, ALONE + PAIR, ALONE + PAIR + TRANSFER]),
        ("paq", [PAIR + TRANSFER + ALONE, PAIR, PAIR + TRANSFER]),
    ],
)
def test_reads_of_a_device(run, policy, ends):
    """Three reads come while a fourth is in the array; the first of them has no partner, the others are a pair."""
    rows = [*writes(*range(4)), *(read(page, LATER + delay) for delay, page in enumerate([3, 0, 2, 3]))]
    done = run(rows, paired(policy)).done_at()[4:]
    assert done == [LATER + ALONE, *(LATER + ALONE + end for end in ends)]
