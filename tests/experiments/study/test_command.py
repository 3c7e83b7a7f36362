"""The paper that the page of adding shows, run: three files make a study."""

import importlib.util
import re
import sys
from pathlib import Path
from statistics import fmean

import pyarrow.parquet as pq
import pytest

from ssdsim.command.compose import composed
from ssdsim.command.from_python import spelled
from ssdsim.command.runs import run_all
from ssdsim.errors import SimulationError
from ssdsim.metrics.result import Result

PAGE = Path(__file__).parents[3] / "docs" / "pages" / "design" / "adding.md"
TINY = ["hardware.channels=1", "hardware.blocks_per_plane=24", "hardware.pages_per_block=12", "precondition=none"]
TINY += ["hardware.over_provisioning=0.4", "workload=synthetic", "workload.requests=50"]


@pytest.fixture(scope="module")
def mine(tmp_path_factory):
    """The module `experiments.papers.mine`, of the page's listings."""
    folder, name = tmp_path_factory.mktemp("papers"), "experiments.papers.mine"
    text = PAGE.read_text(encoding="utf-8")
    for file, content in re.findall(r'```\w+ title="(mine[\w.]*)"\n(.*?)```', text, re.DOTALL):
        (folder / file).write_text(content)
    spec = importlib.util.spec_from_file_location(name, folder / "mine.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[name]


@pytest.fixture(scope="module")
def run(mine, tmp_path_factory):
    folder = tmp_path_factory.mktemp("out")
    assert mine.main(["--folder", str(folder), "--scale", "1/200", "--jobs", "1"]) == 0
    return folder


def test_claims_figures_and_choices_are_in_one_table(run):
    rows = pq.read_table(run / "results.parquet").to_pylist()
    claims = {row["row"]: row for row in rows if row["table"] == "claims"}
    assert [*claims] == ["fig1.saved", "fig1.each"] and claims["fig1.saved"]["low"] <= claims["fig1.saved"]["value"]
    moves = {(row["row"], row["column"]): row["value"] for row in rows if row["table"] == "Fig. 1: pages moved"}
    for load in ("even", "skewed"):
        for system in ("greedy", "FIFO"):
            results = [Result.load(path) for path in run.glob(f"runs/seed */all/{load}/{system}")]
            assert len(results) == 3
            assert moves[load, system] == fmean(result.summary["gc"]["page_moves"] for result in results)
    of_choice = [row for row in rows if row["table"] == "Threshold"]
    assert {(row["row"], row["column"]) for row in of_choice} == {
        (claim, value) for claim in claims for value in ("two free blocks", "four free blocks")
    }
    assert [*run.glob("runs/Threshold/four free blocks/all/*/*/summary.json")]


def test_the_page_has_each_claim_once_and_finished_runs_are_kept(run, mine, capsys):
    text = (run / "report.md").read_text()
    assert text.count("(`fig1.saved`)") == text.count("(`fig1.each`)") == 1
    assert text.startswith("# The experiments of a paper of mine\n") and "## Left open: Threshold" in text
    before = {path: path.stat().st_mtime_ns for path in run.glob("runs/**/summary.json")}
    assert mine.main(["--folder", str(run), "--scale", "1/200", "--jobs", "1"]) == 0
    assert {path: path.stat().st_mtime_ns for path in run.glob("runs/**/summary.json")} == before
    told = capsys.readouterr()
    assert "16 of 16 runs are finished already" in told.err and told.out.endswith(f"{run / 'report.md'}\n")


def test_one_claim_runs_what_it_needs(mine, tmp_path):
    given = ["--folder", str(tmp_path), "--scale", "1/200", "--seeds", "1", "--jobs", "1"]
    assert mine.main([*given, "--only", "fig1.saved"]) == 0
    assert {path.parent.name for path in tmp_path.glob("runs/**/summary.json")} == {"greedy", "FIFO"}
    assert not [*tmp_path.glob("runs/Threshold")]
    assert "| - | 20% |" in (tmp_path / "report.md").read_text()


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["--only", "fig1.save"], "there is no such claim to be held (did you mean 'fig1.saved'?)."),
        (["--traces", "nowhere"], "--traces=nowhere: there is no such folder."),
        (["--scale", "0"], "--scale 0: take a share such as 1/16, 0.5 or 1."),
        (["--scale", "1/0"], "--scale 0: take a share such as 1/16, 0.5 or 1."),
        (["--scale", "2"], "--scale 2: take a share such as 1/16, 0.5 or 1."),
    ],
)
def test_what_cannot_be_used_is_told_in_one_sentence(mine, tmp_path, capsys, given, told):
    assert mine.main([*given, "--folder", str(tmp_path)]) == 2
    assert told in capsys.readouterr().err


def test_a_run_that_fails_is_named_after_the_others_have_finished(tmp_path):
    trace = tmp_path / "gone.csv"
    trace.write_text("arrival_ns,op,offset_bytes,size_bytes\n0,write,0,4096\n")
    good, bad = composed(TINY), composed([*TINY[:-2], "workload=trace", f"workload.path={spelled(trace)}"])
    trace.unlink()
    with pytest.raises(SimulationError, match="1 of 2 runs failed; bad: "):
        run_all({"bad": bad, "good": good}, tmp_path)
    assert (tmp_path / "good" / "summary.json").exists()
