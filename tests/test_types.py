"""The types that mypy and editors are told of compiled modules, where a user's policies meet them."""

import pytest

POLICIES = """
from ssdsim.ftl.reclaim.victims import VictimPolicy
from ssdsim.policies import Queue, SchedulingPolicy, Transaction


class First(VictimPolicy):
    def select(self, plane: int) -> int:
        reveal_type(self.full)
        return self.full.first(plane)


class Writes(SchedulingPolicy):
    def choose(self, reads: Queue, writes: Queue) -> Transaction | None:
        reveal_type(reads.head)
        return self.first(writes)
"""


@pytest.mark.more
def test_mypy_knows_what_a_policy_is_given(tmp_path, monkeypatch):
    api = pytest.importorskip("mypy.api")
    (tmp_path / "mine.py").write_text(POLICIES)
    monkeypatch.chdir(tmp_path)
    options = ["--config-file=", "--ignore-missing-imports", "--cache-dir", str(tmp_path / "cache")]
    told, _, _ = api.run([*options, "mine.py"])
    assert 'Revealed type is "ssdsim._core.victim_index.FullBlocks"' in told
    assert 'Revealed type is "ssdsim.flash.views.Transaction | None"' in told
    assert '"FullBlocks" has no attribute "first"' in told and "Found 1 error" in told
