"""Multi-streamed placement, as a policy in a file of one's own: streams do not share blocks, and fewer pages move."""

from pathlib import Path

import numpy as np
import pytest

from docs.examples import blocks
from support.tiny_device import PAGE

PAGE_OF_POLICIES = Path(__file__).parents[3] / "docs" / "pages" / "how_to" / "policy.md"
SHAPE = {
    "hardware": {"blocks_per_plane": 24, "pages_per_block": 16, "over_provisioning": 0.4},
    "ftl": {"gc": {"soft_threshold": 3, "hard_threshold": 2}},
    "check": "gc",
    "integrity": "on",
}


@pytest.fixture
def streams(tmp_path, monkeypatch):
    """Put the example of the page into a file outside the package."""
    text = next(
        block.text
        for block in blocks(PAGE_OF_POLICIES.read_text(encoding="utf-8"))
        if block.title == "streams.py" and block.language == "python"
    )
    assert text.count("\n") < 60
    (tmp_path / "streams.py").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    return {"active_blocks": "streams.Streams", "active_block_options": {"streams": 2}}


def two_streams(pages):
    """Return requests of two streams in turn: a tenth of the pages written all the time, and the rest now and then."""
    random, hot = np.random.default_rng(4), pages // 10
    often = [(10**6 * n, "write", int(random.integers(0, hot)) * PAGE, PAGE) for n in range(2000)]
    rarely = [(10**6 * n + 500_000, "write", (hot + n % (pages - hot)) * PAGE, PAGE) for n in range(2000)]
    return [{"rows": often}, {"rows": rarely}], hot


def test_streams_have_blocks_of_their_own_and_less_is_moved(experiment, tiny, streams):
    loads, hot = two_streams(tiny(SHAPE).hardware.logical_pages)
    apart = experiment(loads, {**SHAPE, "ftl": SHAPE["ftl"] | streams})
    together = experiment(loads, SHAPE)
    assert holds_one_stream(apart, hot) and not holds_one_stream(together, hot)
    assert apart.summary["write_amplification"] < together.summary["write_amplification"]


def holds_one_stream(out, hot):
    """Return whether no block ever held pages of both streams, moved or not."""
    held = {}
    for c in out.commands:
        if c["op"] == "erase":
            held.pop((c["plane"], c["block"]), None)
        elif c["op"] == "program":
            held.setdefault((c["plane"], c["block"]), set()).add(c["lpa"] < hot)
            if len(held[c["plane"], c["block"]]) > 1:
                return False
    return True
