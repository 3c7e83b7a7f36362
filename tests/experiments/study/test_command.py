"""The command line of a study: what it runs, what it writes and how it ends."""

import signal
from fractions import Fraction

import pytest

from experiments.study.claims import Claim, Comparison, comparison_table
from experiments.study.command import Command, scaled
from experiments.study.study import Study
from ssdsim.command.runs import Means
from ssdsim.errors import ConfigError, SimulationError

CLAIMS = [Claim("speed", "Speed", 2.0, "Fig. 1"), Claim("age", "Age", 2.0, "2", left_out="nobody knows")]


def command(work, **more):
    """Return the command of a study without runs, which does `work` and then has its result as a section."""

    def study(options):
        found = work()
        return Study({1: {"none": {}}}, {"speed": lambda results: 3.0}, lambda report: ["one", "", found])

    return Command("experiments.papers.spd", "Mine.", study, **{"claims": [], **more})


def test_the_report_is_what_the_sections_are_and_its_place_is_printed(tmp_path, capsys):
    folder = tmp_path / "mine"
    folder.mkdir()
    assert command(lambda: "two")(["--folder", str(folder)]) == 0
    assert (folder / "report.md").read_text().startswith("one\n")
    assert capsys.readouterr().out == f"{folder / 'report.md'}\n"


def test_claims_are_stored_apart_without_pictures(tmp_path):
    stored, asked = tmp_path / "stored.md", ["--folder", str(tmp_path), "--results", str(tmp_path / "stored.md")]
    table = comparison_table([Comparison(CLAIMS[0], [1.0])])
    assert command(lambda: f"## Fig. 1\n\n![fig](fig.png)\n\n{table}")(asked) == 0
    first, claims = stored.read_text().split("## Fig. 1")
    assert first.startswith("one\n## All claims") and claims == f"\n\n{table}"
    assert command(lambda: "## Fig. 2")(asked) == 0
    assert "Fig. 2" not in stored.read_text()


@pytest.mark.parametrize("heading", ["## At the paper's size", "## One at the paper's size", "## What the runs show"])
def test_what_is_stored_with_the_claims(tmp_path, heading):
    stored = tmp_path / "stored.md"
    assert command(lambda: f"{heading}\n\nLook.")(["--folder", str(tmp_path), "--results", str(stored)]) == 0
    assert stored.read_text().endswith(f"{heading}\n\nLook.")


def test_claims_stand_behind_the_set_up(tmp_path):
    made = command(lambda: "two", claims=CLAIMS, afterwards=["The seed was 4."])
    assert made(["--folder", str(tmp_path)]) == 0
    report = (tmp_path / "report.md").read_text()
    headings = [line for line in report.splitlines() if line.startswith("## ")]
    assert headings == ["## All claims", "## What was chosen after results were seen", "## Where our numbers part"]
    assert report.startswith("one\n") and report.endswith("\ntwo")
    assert "- Age (2): nobody knows\n" in report


def test_one_claim_is_run_alone(tmp_path):
    assert command(lambda: "two", claims=CLAIMS)(["--folder", str(tmp_path), "--only", "speed"]) == 0
    report = (tmp_path / "report.md").read_text()
    assert "| speed | Speed | Fig. 1 | 3% | - | 2% |" in report and not report.endswith("two")


@pytest.mark.parametrize(
    ("name", "told"),
    [("sped", "there is no such claim (did you mean 'speed'?)."), ("age", "is not held: nobody knows.")],
)
def test_a_claim_that_is_not_held_is_refused(tmp_path, capsys, name, told):
    assert command(lambda: "two", claims=CLAIMS)(["--folder", str(tmp_path), "--only", name]) == 2
    assert told in capsys.readouterr().err


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


def test_a_study_hands_on_how_many_runs_go_at_a_time(tmp_path):
    seen = []

    def study(options):
        seen.append(options.means)
        return Study({1: {}}, {}, lambda report: ["one"])

    made = Command("experiments.papers.spd", "Mine.", study, [])
    given = ["--jobs", "2", "-q", "--folder", str(tmp_path)]
    made(given)
    assert seen == [Means(2, quiet=True)]


def test_a_scale_that_leaves_too_few_blocks_is_refused_with_the_least_that_does():
    assert scaled(2048, Fraction(1, 64), 32) == 32
    with pytest.raises(ConfigError, match="--scale=1/65: leaves 32 blocks a plane; take at least 1/32"):
        scaled(2048, Fraction(1, 65), 64)
