"""The systems of all papers on equal ground: each is composed or refused with a reason, and stands on the page."""

import shlex
from fractions import Fraction

import pytest

from experiments.papers import all as module
from experiments.papers.all import ALL, MIXES, PARTS, SYSTEMS, device, loads, main
from ssdsim.command.compose import composed, groups, session
from ssdsim.errors import ConfigError
from support.mixes import MIXES as TESTED


@pytest.fixture
def small(monkeypatch, tmp_path):
    """Arguments for one device of short blocks without traces."""
    monkeypatch.setattr(module, "PAGES", 12)
    monkeypatch.setattr(module, "PARTS", {"TLC": PARTS["TLC"]})
    device.cache_clear()
    yield [
        "--folder",
        str(tmp_path / "all"),
        "--traces",
        str(tmp_path),
        "--scale",
        "1/4",
        "--seeds",
        "1",
        "--jobs",
        "1",
    ]
    device.cache_clear()


def test_every_stack_of_a_paper_is_there_and_mixes_are_of_them():
    assert {*SYSTEMS} == {*groups()["stack"]} - {"modern", "slc_mode"}  # of no paper; of a third of the capacity
    assert all({*parents.split()} <= {*SYSTEMS} for parents, _ in MIXES.values())
    assert {"PA-SSD's types under SPD+", "flexFTL on twins", "SPD on DFTL"} <= {*MIXES} & {*TESTED}


def test_every_system_is_composed_on_each_device_or_refused_with_a_reason(tmp_path):
    refused = {}
    with session():
        for on in PARTS:
            words = [*device(on, Fraction(1)), *loads(on, Fraction(1), tmp_path)["random"]]
            for name, told in ALL.items():
                try:
                    assert composed([*told.split(), *words]).buffer.size_mib == 1
                except ConfigError as error:
                    refused[on, name] = str(error)
    of_mlc = {"parity_ftl", "rtf_ftl", "flex_ftl", "flexFTL on twins", "flexFTL in die writes", "TBM with block parity"}
    assert {*refused} == {("TLC", name) for name in of_mlc}
    assert all("is for 2 page types" in told for told in refused.values())


def test_a_small_run_writes_a_page_with_each_system_and_lists_each_run_once(small, tmp_path, capsys):
    asked = [*small, "--only", "spd,parity_ftl"]
    assert main([*asked, "--list"]) == 0
    commands = [shlex.split(line) for line in capsys.readouterr().out.splitlines()]
    assert all(words[:3] == ["python", "-m", "experiments"] for words in commands)
    assert len({words[-1] for words in commands}) == len(commands) == 8  # two systems under four loads
    assert main(asked) == 0
    page = (tmp_path / "all" / "report.md").read_text()
    assert all(page.count(f"| TLC | {name} |") == 1 for name in ("baseline", "spd", "parity_ftl"))
    assert page.count("not on this device") == 1 and (tmp_path / "all" / "report.svg").exists()


def test_an_unknown_system_is_told(small, capsys):
    assert main([*small, "--only", "spb"]) == 2
    assert "--only spb: there is no such system (did you mean 'spd'?)." in capsys.readouterr().err
