"""Pages of HTML: what they hold, that they load nothing, and that a browser draws them without a complaint."""

import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

from ssdsim.command import compare, report
from ssdsim.command.cli import main
from ssdsim.command.compose import composed, prepared, session
from ssdsim.report.html import configuration
from ssdsim.report.html.page import Cell, Page, Section, Table, html, rows

TINY = [
    *("workload=synthetic", "workload.requests=300", "workload.queue_depth=4", "hardware.blocks_per_plane=16"),
    *("hardware.pages_per_block=12", "hardware.over_provisioning=0.5"),
]
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
LAST = ["Configuration", "To repeat it"]
TITLES = {
    "run": ["Validity", "Response times", "Where time went", "Over time", "Device", "All numbers", *LAST],
    "sweep": ["Validity", "Runs", "Over the swept keys", *LAST],
    "comparison": ["Results", "What sets the systems apart", *LAST],
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Folders of a run, a sweep and a comparison of tiny devices, by what they are."""
    place = tmp_path_factory.mktemp("pages")
    found = {kind: place / kind for kind in ("run", "untimed", "sweep", "comparison")}
    assert main([*TINY, f"hydra.run.dir={found['run']}", "-q"]) == 0
    assert main([*TINY, "timing=off", f"hydra.run.dir={found['untimed']}", "-q"]) == 0
    swept = ["ftl.gc.soft_threshold=3,4", "ftl/gc=greedy,fifo", "hardware.over_provisioning=0.5,0.001"]
    main(["--multirun", "-q", *TINY[:-1], *swept, f"hydra.run.dir={found['sweep']}"])
    systems = ["ftl/gc=greedy,fifo", *TINY]
    assert compare.main([*systems, "--seeds", "2", "--jobs", "1", "-q", f"hydra.run.dir={found['comparison']}"]) == 0
    return found


@pytest.fixture(scope="module")
def pages(folders):
    """Their pages."""
    for folder in folders.values():
        assert report.main([str(folder)]) == 0
    return {kind: folder / "report.html" for kind, folder in folders.items()}


class Elements(HTMLParser):
    """What a page would load, and its titles of parts."""

    def __init__(self, text):
        super().__init__()
        self.loaded, self.titles, self.inside = [], [], ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.inside = tag
        if tag != "a":
            self.loaded += [value for name, value in attributes if name in ("src", "href", "srcset", "action", "data")]

    def handle_data(self, data):
        if self.inside == "h2":
            self.titles.append(data)
        self.inside = ""


@pytest.mark.parametrize("kind", TITLES)
def test_a_page_has_its_parts_and_loads_nothing(pages, kind):
    text = pages[kind].read_text(encoding="utf-8")
    found = Elements(text)
    assert found.titles == TITLES[kind]
    assert found.loaded == ["data:,"]  # the icon, that browsers ask for otherwise
    assert "NaN" not in text.partition('id="drawn">')[2].partition("</script>")[0]
    assert len(text) < 3_000_000


def test_an_untimed_run_says_what_it_does_not_have(pages):
    text = pages["untimed"].read_text(encoding="utf-8")
    missing = ["response times", "parts of response times", "windows of time", "times in which dies were busy"]
    for each in missing:
        assert f"<p>Without flash timing (timing=off) nothing takes time: there are no {each}.</p>" in text


def test_points_that_were_refused_are_rows_with_their_reason(pages):
    text = pages["sweep"].read_text(encoding="utf-8")
    assert (
        text.count('<mark class="bad">refused</mark>') == 4
        and text.count("<td>completed</td>") + text.count('class="words">completed</td>') == 4
    )
    assert "4 of 8 runs have not come to their end" in text


def test_the_command_that_repeats_a_run_makes_its_configuration_again(pages, folders):
    found = re.search(r'<pre class="command"><code>python -m \S+ --config (.*?)</code>', pages["run"].read_text())
    with session():
        assert prepared([], place=found[1]).config == composed(TINY)


def test_what_is_not_the_default_is_marked():
    """Two keys are changed, one of them differs between the two runs; all others are as they are by default."""
    configs = [composed(["seed=2", f"host.queue_depth={depth}"]) for depth in (3, 5)]
    found = {row[0].text: [cell.text for cell in row[1:]] for row in configuration.table(configs, composed([])).rows}
    marks = {row[0].text: row[0].mark for row in configuration.table(configs, composed([])).rows if row[0].mark}
    assert marks == {"seed": "differs", "host.queue_depth": "swept"}
    assert found["seed"] == ["2", "1", "changed"] and found["host.queue_depth"][::2] == [
        "3 | 5",
        "differs between runs",
    ]


def test_what_a_user_wrote_is_text_and_no_part_of_the_page():
    evil = "</script><script>alert(1)</script>"
    page = Page(evil, evil, [Section("Part", [evil], [Table(evil, ["a"], [[Cell(evil, evil)]])])])
    assert "<script>alert" not in html(page)


def test_charts_are_given_numbers_that_json_has():
    assert rows({"a": [1.0, float("nan"), 0.1 + 0.2], "b": [1, None, "x"]}) == [
        {"a": 1, "b": 1},
        {"a": None, "b": None},
        {"a": 0.3, "b": "x"},
    ]


def test_a_comparison_has_ratios_with_their_intervals_and_the_distributions_of_its_systems(pages):
    text = pages["comparison"].read_text(encoding="utf-8")
    charts = re.findall(r'data-chart="([^"]*)"', text)
    assert charts == ["ratios0", "latency-reads0", "latency-writes0"]
    assert re.search(r"<td[^>]*>[\d.,]+ ± [\d.,e-]+ \([\d.,]+ ± [\d.,e-]+x\)</td>", text.replace("<wbr>", ""))
    assert "ratios to ftl/gc=greedy" in text.replace("<wbr>", "")


def test_charts_become_files(folders, tmp_path, capsys):
    assert report.main([str(folders["comparison"]), "--svg", str(tmp_path), "--output", str(tmp_path / "it.html")]) == 0
    drawn = sorted(tmp_path.glob("*.svg"))
    assert drawn and all(path.read_text(encoding="utf-8").startswith("<svg") for path in drawn)


def test_a_folder_of_nothing_is_refused(tmp_path, capsys):
    assert report.main([str(tmp_path)]) == 2
    assert "holds neither a run nor a sweep nor a comparison; give the folder of one." in capsys.readouterr().err


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium to open the pages with")
@pytest.mark.more
@pytest.mark.parametrize("kind", ["run", "untimed", "sweep", "comparison"])
def test_a_browser_draws_every_chart_and_has_nothing_to_say(pages, kind, tmp_path):
    """Without a network."""
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", f"--user-data-dir={tmp_path}"]
    options += ["--host-resolver-rules=MAP * ~NOTFOUND", "--virtual-time-budget=10000", "--dump-dom"]
    done = subprocess.run(
        [CHROMIUM, *options, pages[kind].absolute().as_uri()], capture_output=True, text=True, check=True
    )
    assert "CONSOLE" not in done.stderr
    charts = Path(pages[kind]).read_text(encoding="utf-8").count('<div class="chart"')
    assert charts and done.stdout.count("data-done") == charts and done.stdout.count("<svg") >= charts
