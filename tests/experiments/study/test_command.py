"""The command line of a study: what it runs, what it writes and how it ends."""

import signal
from fractions import Fraction

import pytest

from experiments.runner.means import Means
from experiments.runner.overview import Words
from experiments.study.claims import Comparison, comparison_table
from experiments.study.command import Command, scaled
from ssdsim.errors import ConfigError, SimulationError


def command(work, **more):
    return Command(
        "experiments.papers.spd", "Mine.", lambda options: work(), lambda found, out: ["one", "", found], **more
    )


def test_the_report_is_what_the_sections_are_and_its_place_is_printed(tmp_path, capsys):
    folder = tmp_path / "mine"
    folder.mkdir()
    assert command(lambda: "two")(["--folder", str(folder)]) == 0
    assert (folder / "report.md").read_text() == "one\ntwo"
    assert capsys.readouterr().out == f"{folder / 'report.md'}\n"


def test_claims_are_stored_apart_without_pictures(tmp_path):
    stored, asked = tmp_path / "stored.md", ["--folder", str(tmp_path), "--results", str(tmp_path / "stored.md")]
    claims = comparison_table([Comparison("speed", 1.0, 2.0)])
    assert command(lambda: f"## Fig. 1\n\n![fig](fig.png)\n\n{claims}")(asked) == 0
    assert stored.read_text() == f"one\n## Fig. 1\n\n{claims}"
    assert command(lambda: "## Fig. 2")(asked) == 0
    assert stored.read_text() == "one"
    assert command(lambda: "## All claims", results="## All")(asked) == 0
    assert stored.read_text() == "one\n## All claims"


@pytest.mark.parametrize(
    "heading", ["## At the paper's size", "## Varmail at the paper's size", "## Where we part from the paper"]
)
def test_what_is_stored_with_the_claims(tmp_path, heading):
    stored = tmp_path / "stored.md"
    made = command(lambda: f"{heading}\n\nLook.")
    assert made(["--folder", str(tmp_path), "--results", str(stored)]) == 0
    assert stored.read_text() == f"one\n{heading}\n\nLook."


@pytest.mark.parametrize("place", [".", "nowhere/stored.md"])
def test_a_place_where_claims_cannot_be_stored_is_refused_before_anything_runs(tmp_path, capsys, place):
    def work():
        raise AssertionError("it runs")

    assert command(work)(["--folder", str(tmp_path), "--results", str(tmp_path / place)]) == 2
    assert capsys.readouterr().err.startswith(f"--results {tmp_path / place}: is not a file in a folder that there is;")


@pytest.mark.parametrize(
    ("error", "status", "told"), [(ConfigError("wrong."), 2, "wrong.\n"), (SimulationError("broken."), 1, "broken.\n")]
)
def test_the_exit_status_tells_what_happened(capsys, error, status, told):
    def work():
        raise error

    assert command(work)([]) == status
    assert capsys.readouterr().err == told


def test_an_interrupted_study_says_how_to_go_on(capsys):
    def work():
        raise KeyboardInterrupt

    assert command(work)([]) == 130
    assert "same command" in capsys.readouterr().err


def test_a_study_that_a_batch_system_ends_says_so_by_its_status(default_signals):
    assert command(lambda: signal.raise_signal(signal.SIGTERM))([]) == 143


def test_an_unexpected_error_is_not_hidden():
    def work():
        raise ValueError("a bug")

    with pytest.raises(ValueError, match="a bug"):
        command(work)([])


@pytest.mark.parametrize("given", [["--scale", "0"], ["--scale", "1/0"], ["--scale", "2"], ["--jobs", "0"]])
def test_options_that_make_no_sense_are_refused(capsys, given):
    with pytest.raises(SystemExit) as left:
        command(lambda: "")(given)
    assert left.value.code == 2
    assert given[0] in capsys.readouterr().err


def test_options_are_those_of_every_study_and_its_own(capsys):
    options = command(lambda: "", switches={"--full": "all of it"}).parser().parse_args(["--full", "--scale", "1/4"])
    assert (options.full, options.scale, options.seed, str(options.folder)) == (True, Fraction(1, 4), 1, "results/spd")
    with pytest.raises(SystemExit):
        command(lambda: "", traces=False).parser().parse_args(["--traces", "."])


def test_a_study_hands_on_how_its_runs_are_launched_and_takes_no_other_overrides(tmp_path, capsys):
    seen = []
    made = Command("experiments.papers.spd", "Mine.", lambda options: seen.append(options.means), lambda found, out: [])
    given = ["--launcher", "ray", "--jobs", "2", "-q", "--folder", str(tmp_path), "hydra.launcher.a=b"]
    assert made(given) == 0
    assert seen == [Means(2, "ray", ["hydra.launcher.a=b"], Words(quiet=True))]
    assert made([*given, "seed=3"]) == 2
    assert "seed=3: a study takes no overrides but hydra.launcher.KEY=VALUE." in capsys.readouterr().err


def test_a_scale_that_leaves_too_few_blocks_is_refused_with_the_least_that_does():
    assert scaled(2048, Fraction(1, 64), 32) == 32
    with pytest.raises(ConfigError, match="--scale=1/65: leaves 32 blocks a plane; take at least 1/32"):
        scaled(2048, Fraction(1, 65), 64)
