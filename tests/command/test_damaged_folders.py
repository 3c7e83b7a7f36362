"""A folder of a run of which a file is damaged, anywhere and in any way: a page and a timeline, or a sentence."""

import json
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ssdsim.command.cli import main

RUN = [
    *("hardware.blocks_per_plane=64", "hardware.pages_per_block=24", "workload=synthetic", "workload.requests=60"),
    *("-q", "record=[requests,commands]", "plot=false"),
]
FILES = (
    *("config.yaml", "manifest.json", "summary.json", "timeseries.parquet", "latency.parquet"),
    *("requests.parquet", "commands.parquet"),
)
PIECES = st.sampled_from([b"", b"null", b"{}", b"[]", b"-1", b"1e999", b"NaN", b'"x"', b"\0", b"<script>", b"${x}"])
VALUES = st.sampled_from([None, -1, 0, 1e308, float("nan"), "x", [], {}, True, [1], {"a": 1}])


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    pytest.importorskip("altair")
    folder = tmp_path_factory.mktemp("whole") / "run"
    assert main([*RUN, f"hydra.run.dir={folder}"]) == 0
    return folder


def places(part):
    """Yield where each value below `part` stands."""
    for key, each in part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ():
        yield part, key
        yield from places(each)


@st.composite
def damaged(draw, content, is_json):
    """Draw `content` with a few bytes changed, or another value somewhere in it."""
    if is_json and draw(st.booleans()):
        value = json.loads(content)
        owner, key = draw(st.sampled_from(list(places(value))))
        owner[key] = draw(VALUES)
        return json.dumps(value).encode()
    data = bytearray(content)
    for _ in range(draw(st.integers(1, 3))):
        first = draw(st.integers(0, len(data)))
        data[first : first + draw(st.sampled_from([0, 1, 20, len(data)]))] = draw(st.binary(max_size=2) | PIECES)
    return bytes(data)


@pytest.mark.more
@settings(max_examples=settings.default.max_examples // 6, suppress_health_check=[*HealthCheck])
@given(st.data())
def test_a_damaged_folder_is_shown_or_refused(whole, capfd, data):
    folder = whole.parent / "damaged"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(whole, folder)
    name = data.draw(st.sampled_from(FILES))
    file = folder / name
    file.write_bytes(data.draw(damaged(file.read_bytes(), file.suffix == ".json")))
    for verb in ("report", "timeline"):
        status = main([verb, str(folder)])
        told = capfd.readouterr().err
        assert (status, len(told.splitlines())) in ((0, 0), (2, 1)), told
        assert status == 0 or str(Path(folder)) in told
