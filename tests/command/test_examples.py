"""The folder of a run on the real simulator: it holds what the page of results lists."""

import json
import re
from pathlib import Path

import pytest
import yaml

from ssdsim.command.cli import main

RESULTS_PAGE = Path(__file__).parents[2] / "docs" / "pages" / "tutorial" / "results.md"
SMALL = ("hardware.blocks_per_plane=64", "hardware.pages_per_block=24", "precondition=fill")


LISTED = re.search(r"\n\| folder of a run .*?\n\n", RESULTS_PAGE.read_text(encoding="utf-8"), re.DOTALL)[0]
FILES = {
    name for row in LISTED.splitlines() if row.startswith("| `") for name in re.findall(r"`(.*?)`", row.split("|")[1])
}


@pytest.mark.parametrize(
    ("options", "lacking"),
    [
        (["record=[requests,commands]"], set()),
        ([], {"requests.parquet", "commands.parquet"}),
        (["timing=off", "record=requests"], {"requests.parquet", "commands.parquet", "overview.png"}),
    ],
)
def test_the_folder_of_a_run_holds_what_the_page_lists(tmp_path, monkeypatch, options, lacking):
    """Without timing there are no single requests, and there is nothing to draw."""
    monkeypatch.chdir(tmp_path)
    argv = ["workload=synthetic", "workload.requests=50", "hydra.run.dir=run", "plot=true", *options, *SMALL]
    assert main(argv) == 0 and len(FILES) == 8
    assert {path.name for path in (tmp_path / "run").iterdir()} == FILES - lacking
    listed = json.loads((tmp_path / "run" / "manifest.json").read_text())["files"]
    assert set(listed) == FILES - lacking - {"manifest.json"}
    config = yaml.safe_load((tmp_path / "run" / "config.yaml").read_text())
    assert (config["workload"]["requests"], config["hardware"]["blocks_per_plane"]) == (50, 64)
    assert (config["flash"]["bus"], config["flash"]["write_complete"]) == ("starts_first", "program_end")
