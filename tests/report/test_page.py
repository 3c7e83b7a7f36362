"""Pages of HTML: what they hold, that they load nothing, and that a browser draws them without a complaint."""

import re
from html.parser import HTMLParser

import pytest

from ssdsim.command.cli import main
from ssdsim.command.compose import composed
from ssdsim.report.page import Page, Section
from ssdsim.report.text import Cell, TextTable
from support.browser import drawn, needs_browser

TINY = [
    *("workload=synthetic", "workload.requests=300", "workload.queue_depth=4", "hardware.blocks_per_plane=16"),
    *("precondition=fill", "hardware.pages_per_block=12", "hardware.over_provisioning=0.5"),
]
LAST = ["Configuration", "To repeat it"]
TITLES = {
    "run": ["Validity", "Response times", "Where time went", "Over time", "Device", *LAST],
    "untimed": ["Validity", "Where time went", *LAST],
    "sweep": ["Results", "Over the swept keys", *LAST],
    "comparison": ["Results", *LAST],
}


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The pages of runs, a sweep and a comparison of tiny devices, by what they are."""
    place = tmp_path_factory.mktemp("pages")
    found = {kind: place / kind for kind in TITLES}
    assert main([*TINY, f"hydra.run.dir={found['run']}", "-q"]) == 0
    assert main([*TINY, "timing=off", f"hydra.run.dir={found['untimed']}", "-q"]) == 0
    swept = ["ftl/gc=greedy,fifo", "hardware.over_provisioning=0.5,0.001"]
    main(["sweep", "-q", *TINY[:-1], *swept, f"hydra.run.dir={found['sweep']}"])
    systems = ["ftl/gc=greedy,fifo", *TINY, "--seeds", "2", "--jobs", "1", "-q"]
    assert main(["compare", *systems, f"hydra.run.dir={found['comparison']}"]) == 0
    for folder in found.values():
        assert main(["report", str(folder)]) == 0
    return {kind: folder / "report.html" for kind, folder in found.items()}


class Elements(HTMLParser):
    """What a page would load, its titles of parts, and the rows of its tables."""

    def __init__(self, text):
        super().__init__()
        self.loaded, self.titles, self.rows, self.inside = [], [], [], ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.inside = tag
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
        else:
            self.loaded += [value for name, value in attributes if name in ("src", "href", "srcset", "action", "data")]

    def handle_data(self, data):
        if self.inside == "h2":
            self.titles.append(data)
        elif self.inside in ("td", "th", "mark") and self.rows:
            self.rows[-1][-1] += data
        self.inside = ""


@pytest.mark.parametrize("kind", TITLES)
def test_a_page_has_its_parts_and_loads_nothing(pages, kind):
    text = pages[kind].read_text(encoding="utf-8")
    found = Elements(text)
    assert found.titles == TITLES[kind]
    assert found.loaded == ["data:,"]  # the icon, that browsers ask for otherwise
    assert "NaN" not in text.partition('id="drawn">')[2].partition("</script>")[0]
    assert len(text) < 3_000_000
    assert ("there are no response times" in text) == (kind == "untimed")


def test_points_that_were_refused_are_rows_and_the_reason_is_told(pages):
    text = pages["sweep"].read_text(encoding="utf-8")
    assert text.count('<mark class="bad">refused</mark>') == 2
    assert "2 of the runs: refused: hardware.over_provisioning=0.001: " in text


def test_a_comparison_has_a_row_a_field_with_ratios_to_the_baseline(pages):
    rows = Elements(pages["comparison"].read_text(encoding="utf-8")).rows
    head, first = (next(row for row in rows if row[0] == name) for name in ("system", "IOPS"))
    assert head == ["system", "ftl/gc=greedy", "ftl/gc=fifo"] and ["seeds", "2", "2"] in rows
    assert re.fullmatch(r"[\d.,]+ ± [\d.,e-]+", first[1])
    assert re.fullmatch(r"[\d.,]+ ± [\d.,e-]+ \([\d.,]+ ± [\d.,e-]+x\)", first[2])


def test_any_field_is_drawn_over_any_key(pages, capsys):
    given = ["report", str(pages["sweep"].parent), "--fields", "wear.max"]
    assert main([*given, "--over", "ftl/gc"]) == 0
    assert 'data-chart="wear-max-over-ftl-gc"' in pages["sweep"].read_text()
    capsys.readouterr()
    for arguments, told in (
        (["--fields", "iop"], "did you mean 'iops'"),
        (["--over", "ftl/g"], "was not swept (did you mean 'ftl/gc'?)"),
    ):
        assert main([*given, *arguments]) == 2
        refused = capsys.readouterr().err
        assert told in refused and refused.count("\n") == 1


def test_the_command_that_repeats_a_run_makes_its_configuration_again(pages):
    found = re.search(r'<pre class="command"><code>\w+ --config (.*?)</code>', pages["run"].read_text())
    assert composed([], found[1]) == composed(TINY)


def test_what_a_user_wrote_is_text_and_no_part_of_the_page():
    evil = "</script><script>alert(1)</script>"
    table = TextTable("a", title=evil, rows=[[Cell(evil, evil)]])
    assert "<script>alert" not in Page(evil, evil, [Section("Part", [evil], [table])]).html()


def test_a_folder_of_nothing_is_refused(tmp_path, capsys):
    assert main(["report", str(tmp_path)]) == 2
    assert "holds no runs" in capsys.readouterr().err


@needs_browser
@pytest.mark.more
@pytest.mark.parametrize("kind", TITLES)
def test_a_browser_draws_every_chart_and_has_nothing_to_say(pages, kind, tmp_path):
    text = drawn(pages[kind], tmp_path)
    charts = pages[kind].read_text(encoding="utf-8").count('<div class="chart"')
    assert charts and text.count("data-done") == charts and text.count("<svg") >= charts
