"""The types that mypy and editors are told of compiled modules, where a user's policies meet them."""

import ast
from pathlib import Path

import pytest

import stubs
from ssdsim.assembly.parts import BASES

SSDSIM = Path(__file__).parents[1] / "ssdsim"
POLICIES = """
from ssdsim.flash.scheduler import SchedulingPolicy
from ssdsim.flash.transaction import Transaction, TransactionQueue
from ssdsim.ftl.reclaim.victims import VictimPolicy


class First(VictimPolicy):
    def select(self, plane: int) -> int:
        reveal_type(self.full)
        return self.full.first(plane)


class Writes(SchedulingPolicy):
    def choose(self, reads: TransactionQueue, writes: TransactionQueue) -> Transaction | None:
        reveal_type(reads.head)
        return self.first(writes)
"""


@pytest.mark.parametrize("module", stubs.MODULES)
def test_a_stub_is_what_the_modules_declarations_make_it(module):
    """If it is not: `python tests/stubs.py`, and `ruff format`."""
    there = (SSDSIM / Path(*module.split("."))).with_suffix(".pyi").read_text(encoding="utf-8")
    assert ast.dump(ast.parse(_sorted(there))) == ast.dump(ast.parse(_sorted(stubs.stub(module))))


def _sorted(text):
    """Return a stub without its imports, which ruff arranges."""
    return "\n".join(ast.unparse(node) for node in ast.parse(text).body if not isinstance(node, ast.ImportFrom))


def test_every_base_class_of_policies_has_types():
    homes = {f"ssdsim.{module}" for module in stubs.MODULES}
    assert {base.__module__ for key, base in BASES.items() if key != "ftl.mapping.scheme"} <= homes


def test_mypy_knows_what_a_policy_is_given(tmp_path, monkeypatch):
    api = pytest.importorskip("mypy.api")
    (tmp_path / "mine.py").write_text(POLICIES)
    monkeypatch.setenv("MYPYPATH", str(SSDSIM.parent))
    monkeypatch.chdir(tmp_path)
    options = ["--config-file=", "--ignore-missing-imports", "--cache-dir", str(tmp_path / "cache")]
    told, _, _ = api.run([*options, "mine.py"])
    assert 'Revealed type is "ssdsim._core.victim_index.FullBlocks"' in told
    assert 'Revealed type is "ssdsim.flash.transaction.Transaction | None"' in told
    assert '"FullBlocks" has no attribute "first"' in told and "Found 1 error" in told
