"""A tiny device that has something to collect when its host goes quiet, and hosts that are quiet now and then."""

import numpy as np
from hypothesis import strategies as st

from support.tiny_device import PAGE

FILLED = [(0, "write", lpa * PAGE, PAGE) for lpa in (*range(16), 0, 1, 2, 4)]
"""Blocks 0 to 4 are full, 3 are free, and dead are three pages of block 0 and one of block 1."""

LONG_AFTER = (50_000_000, "read", 0, PAGE)


@st.composite
def loads(draw):
    """Draw a device of one or two dies with its threshold, and requests in bursts with pauses between them."""
    dies, threshold = draw(st.sampled_from([(1, 1), (2, 1), (1, 2)])), draw(st.sampled_from([0.3, 0.5, 0.9]))
    changes = {
        "hardware": {"channels": dies[0], "chips_per_channel": dies[1]},
        "ftl": {"gc": {"background_threshold": threshold, "idle_us": draw(st.sampled_from([0.0, 50.0, 400.0]))}},
    }
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    pages, rows, at = 16 * dies[0] * dies[1], [], 0
    for _ in range(draw(st.integers(1, 20))):
        at += int(random.integers(0, 3_000_000))
        for _ in range(int(random.integers(1, 12))):
            op = random.choice(["write", "read", "trim"], p=[0.8, 0.1, 0.1])
            rows.append((at, str(op), int(random.integers(pages)) * PAGE, PAGE))
    return rows, changes


def held(device):
    """Return the version that each logical page holds."""
    found = [device.mapping.lookup(lpa) for lpa in range(device.config.hardware.logical_pages)]
    return [device.contents.get(ppa) if ppa >= 0 else 0 for ppa in found]
