"""Pages of HTML: what they hold, that they load nothing, and that a browser draws them without a complaint."""

import re
from html.parser import HTMLParser

import pytest

from ssdsim.command import compare, report
from ssdsim.command.cli import main
from ssdsim.command.compose import composed, prepared, session
from ssdsim.report.page import Cell, Page, Section, Table, html
from ssdsim.report.run import configured
from support.browser import drawn, needs_browser

TINY = [
    *("workload=synthetic", "workload.requests=300", "workload.queue_depth=4", "hardware.blocks_per_plane=16"),
    *("precondition=fill", "hardware.pages_per_block=12", "hardware.over_provisioning=0.5"),
]
LAST = ["Configuration", "To repeat it"]
TITLES = {
    "run": ["Validity", "Response times", "Where time went", "Over time", "Device", "All numbers", *LAST],
    "sweep": ["Validity", "Results", "Over the swept keys", *LAST],
    "comparison": ["Validity", "Results", *LAST],
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Folders of a run, a sweep and a comparison of tiny devices, by what they are."""
    place = tmp_path_factory.mktemp("pages")
    found = {kind: place / kind for kind in ("run", "untimed", "sweep", "comparison")}
    assert main([*TINY, f"hydra.run.dir={found['run']}", "-q"]) == 0
    assert main([*TINY, "timing=off", f"hydra.run.dir={found['untimed']}", "-q"]) == 0
    swept = ["ftl/gc=greedy,fifo", "hardware.over_provisioning=0.5,0.001"]
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
        elif tag != "a":
            self.loaded += [value for name, value in attributes if name in ("src", "href", "srcset", "action", "data")]

    def handle_data(self, data):
        if self.inside == "h2":
            self.titles.append(data)
        elif self.inside in ("td", "mark", "button") and self.rows:
            self.rows[-1][-1] += data
        self.inside = self.inside if self.inside == "td" else ""


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
    assert "Without flash timing (timing=off) nothing takes time: there are no response times" in text
    assert Elements(text).titles == ["Validity", "Where time went", "Device", "All numbers", *LAST]


def test_points_that_were_refused_are_rows_with_their_reason(pages):
    text = pages["sweep"].read_text(encoding="utf-8")
    assert text.count('<mark class="bad">refused: ') == 2
    assert "2 of 4 runs have not come to their end" in text


def test_a_row_is_a_point_with_ratios_to_the_baseline(pages):
    rows = Elements(pages["comparison"].read_text(encoding="utf-8")).rows
    rows = [[cell.strip() for cell in row] for row in rows]
    head = next(row for row in rows if row[:2] == ["system", "IOPS"])
    base, other = (dict(zip(head, row, strict=True)) for row in rows if row[0].startswith("ftl/gc="))
    assert (base["system"], other["system"], base["seeds"]) == ("ftl/gc=greedy", "ftl/gc=fifo", "2")
    assert re.fullmatch(r"[\d.,]+ ± [\d.,e-]+", base["IOPS"])
    assert re.fullmatch(r"[\d.,]+ ± [\d.,e-]+\n\([\d.,]+ ± [\d.,e-]+x\)", other["IOPS"])


def test_charts_become_files(folders, tmp_path):
    given = [str(folders["comparison"]), "--svg", str(tmp_path / "svg"), "--output", str(tmp_path / "it.html")]
    assert report.main(given) == 0
    files = {path.name: path.read_text(encoding="utf-8") for path in (tmp_path / "svg").iterdir()}
    assert files.keys() == {f"{name}.svg" for name in ("ratios0", "latency-reads0", "latency-writes0")}
    assert all(text.startswith("<svg") for text in files.values())


def test_any_field_is_drawn_over_any_key_or_field(folders, tmp_path, capsys):
    given = [str(folders["sweep"]), "--output", str(tmp_path / "it.html"), "--fields", "wear.max"]
    name = "wear-max-over-keys0.png"
    for over in ("ftl.gc", "write_amplification"):
        assert report.main([*given, "--over", over, "--png", str(tmp_path / over)]) == 0
        assert (tmp_path / over / name).read_bytes().startswith(b"\x89PNG")
    capsys.readouterr()
    for arguments, told in (
        (["--fields", "iop"], "did you mean 'iops'"),
        (["--over", "ftl/g"], "did you mean 'ftl/gc'"),
    ):
        assert report.main([*given, *arguments]) == 2
        refused = capsys.readouterr().err
        assert told in refused and refused.count("\n") == 1


def test_the_command_that_repeats_a_run_makes_its_configuration_again(pages, folders):
    found = re.search(r'<pre class="command"><code>python -m \S+ --config (.*?)</code>', pages["run"].read_text())
    with session():
        assert prepared([], place=found[1]).config == composed(TINY)


def test_the_configuration_is_what_is_not_the_default():
    """Two keys are changed, one of them differs between the two runs; all others are as they are by default."""
    configs = [composed(["seed=2", f"host.queue_depth={depth}"]) for depth in (3, 5)]
    (table,) = configured(configs, composed([])).parts
    default = str(composed([]).host.queue_depth)
    found = [[cell.text for cell in row] for row in table.rows]
    assert sorted(found) == [["host.queue_depth", "3 | 5", default], ["seed", "2", "1"]]
    assert [row[1].text for row in table.rows if row[1].mark] == ["3 | 5"]
    assert not configured([composed([])], composed([])).parts


def test_what_a_user_wrote_is_text_and_no_part_of_the_page():
    evil = "</script><script>alert(1)</script>"
    page = Page(evil, evil, [Section("Part", [evil], [Table(evil, ["a"], [[Cell(evil, evil)]])])])
    assert "<script>alert" not in html(page)


def test_a_folder_of_nothing_is_refused(tmp_path, capsys):
    assert report.main([str(tmp_path)]) == 2
    assert "holds neither a run nor a sweep nor a comparison; give the folder of one." in capsys.readouterr().err


@needs_browser
@pytest.mark.more
@pytest.mark.parametrize("kind", ["run", "untimed", "sweep", "comparison"])
def test_a_browser_draws_every_chart_and_has_nothing_to_say(pages, kind, tmp_path):
    text = drawn(pages[kind], tmp_path)
    charts = pages[kind].read_text(encoding="utf-8").count('<div class="chart"')
    assert charts and text.count("data-done") == charts and text.count("<svg") >= charts
