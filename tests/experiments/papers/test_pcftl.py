"""The study of the PCFTL paper: its device, workloads and measures, and the command."""

import csv
from fractions import Fraction
from functools import partial
from math import ceil
from pathlib import Path

import numpy as np
import pytest

import experiments.papers.pcftl.__main__ as command
from experiments.compose import composed, prepared, session
from experiments.papers.pcftl import evidence, measures, runs, schemes, systems, terms, workloads
from experiments.papers.pcftl.report import figure_23, results
from experiments.papers.pcftl.runs import DEFAULT, EXTRA, PAGES, Plan
from experiments.papers.pcftl.study import RESULTS, Study
from experiments.papers.pcftl.systems import BASE, FREE, LATE, OURS, RIVAL, SYSTEMS, Device, Setting
from experiments.papers.pcftl.workloads import TABLE_2, VARIATION, Load, pieces, repeating, synthetic, uneven
from experiments.papers.spd.measures import Grid as SpdGrid
from experiments.study import traces
from experiments.study.measures import Grid
from experiments.study.output import output
from ssdsim.assembly.capacity import active_blocks
from ssdsim.assembly.parts import Parts
from ssdsim.metrics.result import Result
from ssdsim.run.preconditioning import steps_filled
from ssdsim.workload import READ, WRITE, Chunk, open_workload

PAGE = 2048
SMALL = Device(Fraction(1, 16))


# Workloads.


def requests(overrides):
    """Return times, writes, offsets and sizes of all requests of a workload."""
    config = composed(overrides)
    hardware = config.hardware
    made = open_workload(config.workload, hardware.capacity_bytes, hardware.page_bytes, config.seed).chunks()
    columns = zip(*((c.arrival_ns, c.op == WRITE, c.offset_bytes, c.size_bytes) for c in made), strict=True)
    return tuple(map(np.concatenate, columns))


def updates(offset, size):
    """Return the share of the pages written that were written before."""
    first, count = offset // PAGE, (offset + size - 1) // PAGE - offset // PAGE + 1
    starts = np.repeat(first - np.concatenate([[0], np.cumsum(count)[:-1]]), count)
    pages = starts + np.arange(len(starts))
    return 1 - len(np.unique(pages)) / len(pages)


@pytest.fixture(scope="module")
def traces_folder(tmp_path_factory):
    return tmp_path_factory.mktemp("traces")


@pytest.mark.parametrize("name", TABLE_2)
def test_a_synthetic_workload_has_the_numbers_of_table_2(name, traces_folder):
    row = TABLE_2[name]
    made = synthetic(name, SMALL, traces_folder)
    times, write, offset, size = requests([*SMALL.overrides(DEFAULT, RIVAL), *made.overrides])
    assert 100 * write.mean() == pytest.approx(row.write_percent, abs=2)
    assert 100 * updates(offset[write], size[write]) == pytest.approx(row.update_percent, abs=2)
    assert size.mean() / 1024 == pytest.approx(row.mean_kib, rel=0.04)
    assert 1e9 * len(times) / times[-1] == pytest.approx(row.rate_iops, rel=0.04)
    assert times[-1] / 60e9 == pytest.approx(row.minutes / 16, rel=0.04)


def spread(offset, size):
    """Return the coefficient of variation of the pages by their number modulo the planes."""
    first, count = offset // PAGE, size // PAGE
    pages = np.concatenate([np.arange(at, at + each) for at, each in zip(first, count, strict=True)])
    found = np.bincount(pages % 32, minlength=32)
    return found.std() / found.mean()


def test_planes_are_as_uneven_as_under_the_papers_tpcc(traces_folder):
    """4,961 of 436,200 requests x 35.4 percent x 4 pages / 32 planes; else alike, but for popular pages."""
    assert VARIATION["DLOOP"] == pytest.approx(4961 / (436_200 * 0.354 * 4 / 32))
    for name, even in (("TPC-C", 0.06), ("Build", 0.15)):
        for found, target in ((False, VARIATION["DLOOP"]), (True, None)):
            overrides = [
                *SMALL.overrides(DEFAULT, RIVAL),
                *synthetic(name, SMALL, traces_folder, even_places=found).overrides,
            ]
            _, write, offset, size = requests(overrides)
            shown = spread(offset[write], size[write])
            assert shown < even if target is None else shown == pytest.approx(target, rel=0.3)


def test_slots_of_later_places_are_in_use_in_more_rounds():
    """Four places, a rise of a half: 6.25, 8.75, 11.25 and 13.75 of 10 rounds each, begun ones too."""
    slots = uneven(40, 4, 0.5)
    assert len(slots) == 40 and (np.diff(slots) > 0).all()
    assert np.bincount(slots % 4).tolist() == [7, 9, 12, 12]
    assert (uneven(40, 4, 0.0) == np.arange(40)).all()


def test_some_writes_repeat_one_shortly_before():
    """Every write repeats the one before or that before it, reads and the first write stay."""
    op, nothing = np.array([READ, WRITE, WRITE, READ, WRITE], np.uint8), np.zeros(5, np.int64)
    chunk = Chunk(nothing, op, np.array([10, 20, 30, 40, 50]), np.array([1, 2, 3, 4, 5]))
    made, before = repeating(chunk, np.zeros((2, 0), np.int64), {2: 1.0}, np.random.default_rng(1))
    assert made.offset_bytes.tolist() == [10, 20, 20, 40, 20] and made.size_bytes.tolist() == [1, 2, 2, 4, 2]
    assert before.tolist() == [[20, 20, 20], [2, 2, 2]]
    same, _ = repeating(chunk, np.zeros((2, 0), np.int64), {2: 0.0}, np.random.default_rng(1))
    assert same.offset_bytes.tolist() == [10, 20, 30, 40, 50]


def test_a_share_of_pages_written_before_by_hand():
    """Pages 0 and 1, then 1, 2 and 3, then 0: two of six."""
    offset, size = np.array([0, PAGE, 10]), np.array([2 * PAGE, 3 * PAGE - 1, 20])
    assert updates(offset, size) == pytest.approx(1 / 3)


def test_pieces_are_run_whole_beside_the_papers_workloads(tmp_path, monkeypatch):
    for file, _ in workloads.PIECES.values():
        (tmp_path / file).touch()
    monkeypatch.setattr(traces, "PIECES", tmp_path)
    found = {"Fin1": Load([])} | pieces()
    assert [name for name, load in found.items() if load.whole] == ["Fin1 (piece)", "TPC-C (piece)"]
    made = Plan(SMALL, found, tmp_path).of(DEFAULT, [OURS])
    cache = {name: given for name, overrides in made.items() for given in overrides if "buffer.size_mib" in given}
    assert cache["Fin1 (piece)/PCFTL"] == "buffer.size_mib=2.0"
    assert cache["Fin1/PCFTL"] == "buffer.size_mib=0.125"


def test_the_search_of_a_smaller_cache_takes_as_long(tmp_path):
    made = Plan(SMALL, {"Fin1": Load([]), "Fin1 (piece)": Load([], whole=True)}, tmp_path).searching(DEFAULT, 10)
    assert [overrides[-1] for overrides in made.values()] == ["buffer.search_ns=160.0", "buffer.search_ns=10"]


def test_the_piece_of_tpcc_comes_at_the_rate_of_the_table():
    speedup = float(workloads.PIECES["TPC-C (piece)"][1][0].partition("=")[2])
    seconds = workloads.TPCC_PIECE_S / speedup
    assert workloads.TPCC_PIECE_REQUESTS / seconds == pytest.approx(3635, rel=1e-4)


# Systems.


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_whole_device_is_the_papers(system):
    with session():
        for setting in (*PAGES, Setting(extra=30)):
            overrides = [*Device(Fraction(1)).overrides(setting, system), "workload=synthetic"]
            hardware = prepared(overrides).config.hardware
            assert (hardware.channels, hardware.dies, hardware.planes) == (2, 8, 32)
            assert hardware.capacity_bytes == 8 * 2**30
            assert hardware.page_bytes * hardware.bus_ns_per_byte == pytest.approx(25_000)
            share = [f"ftl.extra_block_share={setting.extra / 100}", "hardware.extra_blocks=0"]
            assert prepared([*overrides, *share]).config.hardware.extra_blocks == hardware.extra_blocks
    assert hardware.logical_pages == 4_194_304
    assert Device(Fraction(1)).extra_blocks(DEFAULT, system) == 50


def test_active_blocks_are_those_of_the_stacks():
    for system, held in systems.HELD.items():
        config = composed([*SMALL.overrides(DEFAULT, system), "workload=synthetic"])
        of_map = config.ftl.mapping.scheme == "dftl"
        assert active_blocks(Parts(config)) + of_map == held


def test_a_smaller_device_keeps_the_share_of_spare_blocks():
    whole, half = Device(Fraction(1)), Device(Fraction(1, 2))
    for system, held in systems.HELD.items():
        spare = half.extra_blocks(Setting(extra=30), system) - held
        assert 2 * spare == pytest.approx(whole.extra_blocks(Setting(extra=30), system) - held, abs=1)


def test_runs_of_every_part_can_be_composed(traces_folder):
    plan = Plan(SMALL, {"Build": synthetic("Build", SMALL, traces_folder)}, traces_folder)
    parts = plan.figures() | plan.further()
    assert {setting.name for setting in (*PAGES, *EXTRA, *runs.CACHES)} < set(parts)
    with session():
        for part, of in parts.items():
            for overrides in list(of.values())[0 if part == "parts" else -1 :]:
                prepared(overrides)


def test_fig_23s_runs_can_be_composed(tmp_path):
    made = schemes.runs(Fraction(1, 32), 1, tmp_path)
    assert len(made) == 6 * 3 + 2 * 7 and len(schemes.runs(Fraction(1, 32), 1, tmp_path, sweeps=False)) == 6 * 3
    with session():
        for name in ("SPD/FAST", "SPD/FAST, all log blocks", "Baseline-D/DFTL, 4 KiB", "ParaGC/page map"):
            prepared(made[name])


@pytest.mark.parametrize(("pool", "of"), [(FREE, EXTRA[-1].extra), (LATE, systems.FEWEST_EXTRA)])
def test_extra_blocks_that_are_free_at_first(pool, of):
    """30 percent of 2,048 blocks are 615, of which collection works with 492; here a sixteenth of them."""
    overrides = SMALL.overrides(Setting(extra=30, pool=pool), OURS)
    found = composed([*overrides, "workload=synthetic"])
    kept = SMALL.extra_blocks(Setting(extra=of), OURS) - systems.HELD[OURS]
    assert found.ftl.gc.trigger == "free_blocks" and found.ftl.gc.soft_threshold == kept
    assert steps_filled(found)[:2] == (128, 128)
    worked_with = SMALL.extra_blocks(Setting(extra=30), OURS)
    assert found.hardware.extra_blocks - worked_with == (round(123 / 16) if pool == FREE else 0)
    idle = found.ftl.gc.background_threshold * found.hardware.physical_blocks
    assert ceil(idle) == SMALL.extra_blocks(Setting(extra=of), OURS)


# Measures.


def result(read=(1, 100.0), write=(3, 200.0), spread=10.0, count=100, valid=0.2, wasted=5):
    served = {op: {"count": n, "response_us": {"mean": us}} for op, (n, us) in (("read", read), ("write", write))}
    gc = {"collections": count, "victim_valid_share": valid, "page_moves": 20}
    flash = {"copybacks": {"gc": 15}}
    mapping = {"memory_bytes": 2048, "hit_ratio": None, "reads": 8, "writes": 4, "merges": {"partial": 1, "full": 2}}
    pages = {"requested_page_writes": 3200, "host_page_writes": 3000, "wasted_pages": wasted}
    return Result(
        {"requests": served, "page_writes_per_plane_std": spread, "gc": gc, "flash": flash, "mapping": mapping, **pages}
    )


def grid(workload="Fin2", **by_system):
    return Grid({f"{workload}/{system}": result(**given) for system, given in by_system.items()})


def same(setting, **by_system):
    return {setting: grid(**by_system) for setting in (*PAGES, *EXTRA, *runs.CACHES)}


def test_a_response_time_is_that_of_all_requests():
    assert measures.response_ms(result().summary) == pytest.approx(0.175)
    assert measures.response_ms(result(read=(0, None), write=(0, None)).summary) is None
    assert measures.response_ms(result(read=(0, None)).summary) == pytest.approx(0.2)


def test_waste_is_told_of_the_device_and_of_moved_pages():
    summary = result().summary
    assert measures.wasted(1000)(summary) == 0.5 and measures.wasted_each(summary) == 0.25
    assert measures.valid(summary) == pytest.approx(20)


FASTER = {BASE: {}, RIVAL: {"write": (3, 90.0), "spread": 8.0}, OURS: {"write": (3, 80.0), "spread": 2.0}}


def held(comparisons):
    return {each.what: each for each in comparisons}


def test_gains_are_held_against_the_paper():
    """Mean response times of 175, 92.5 and 85 us."""
    found = held(measures.page_comparisons(same(DEFAULT, **FASTER)))
    ours = found["PCFTL, response time below DFTL's, mean"]
    assert ours.ours == pytest.approx(100 * 90 / 175) and ours.agrees
    assert found["PCFTL, response time below DFTL's under Fin2"].ours == ours.ours
    assert found["PCFTL, SDWPP below DFTL's, mean"].ours == pytest.approx(80)
    assert found["PCFTL, SDWPP below DLOOP's, mean"].ours == pytest.approx(75)
    assert found["PCFTL and DLOOP faster than DFTL, by workload and page, cases"].agrees
    falling = found["response time falls with each larger page, by workload and system, cases"]
    assert falling.ours == 0 and falling.verdict == "**beyond the bound**"


def test_what_was_not_run_is_not_measured():
    found = measures.claims({}, 1000)
    assert len(found) > 30 and {each.verdict for each in found} == {"not measured"}


def test_deviations_are_told_of_the_pages_that_the_host_writes():
    """100 pages a plane: 20 of them."""
    assert measures.variation(result(spread=20.0).summary) == pytest.approx(20)
    found = held(measures.extra_comparisons({DEFAULT: grid("TPC-C", DLOOP={"spread": 20.0})}))
    assert found["DLOOP, SDWPP of a plane's page writes under TPC-C"].ours == pytest.approx(20)
    assert found["DLOOP, SDWPP of a plane's page writes under TPC-C"].paper == pytest.approx(25.7, abs=0.05)


def test_more_collections_are_above_and_fewer_below():
    counts = {BASE: {"count": 1000}, RIVAL: {"count": 1037}, OURS: {"count": 1024}}
    found = measures.collection_comparisons(grid(**counts))
    assert [each.ours for each in found] == pytest.approx([2.4, 3.7, 100 * 13 / 1037, 100])
    assert all(each.agrees for each in found)
    fewer = measures.collection_comparisons(grid(**counts | {OURS: {"count": 900}}))
    assert [each.verdict for each in fewer][0::3] == ["**other direction**", "**beyond the bound**"]


def test_what_more_space_saves_is_told_from_the_first_to_the_last():
    grids = same(DEFAULT, **FASTER) | {EXTRA[-1]: grid(PCFTL={"write": (3, 60.0), "count": 75})}
    found = held(measures.extra_comparisons(grids))
    assert found["PCFTL, response time under Fin2, 30 percent below 3 percent"].ours == pytest.approx(100 * 15 / 85)
    assert found["PCFTL, collections under Fin2, 30 percent below 3 percent"].ours == pytest.approx(25)


def test_a_larger_cache_is_held_against_the_smallest():
    grids = same(DEFAULT, **FASTER) | {
        runs.CACHES[0]: grid(PCFTL={"spread": 4.0, "write": (3, 100.0)}),
        DEFAULT: grid(PCFTL={"write": (3, 90.0)}),
    }
    assert measures.change(grids, (runs.CACHES[0], runs.CACHES[-1]), measures.sdwpp, "Fin2") == 50
    found = held(measures.cache_response_comparisons(grids))
    assert found["response time under Fin2, 4 MiB below 256 KiB"].ours == pytest.approx(15)
    assert found["response time under Fin1, 2 MiB above 1 MiB"].verdict == "not measured"
    exchange = {setting: grid("Exchange", PCFTL={"write": (3, at)}) for at, setting in enumerate(runs.CACHES)}
    assert held(measures.cache_response_comparisons(exchange))["response time under Exchange, 2 MiB above 1 MiB"].agrees


def test_of_several_workloads_the_one_with_most_is_found():
    values = {"a": 3.0, "b": 1.0, "c": None}
    assert [measures.exceeding(values.get, name, values) for name in values] == [0, 1, None]
    assert measures.exceeding(values.get, "a", ["a"]) is None


def study(further=(), default=None, seeds=1):
    """A study of Fin2 alone."""
    shown = grid(**FASTER) if default is None else default
    grids = dict.fromkeys(runs.settings(), shown)
    return Study(
        seeds=[grids] * seeds,
        further=dict(further),
        whole=measures.NOT_RUN,
        schemes=[],
        loads={"Fin2": Load([])},
        device=SMALL,
        pages=1000,
        scale=Fraction(1, 16),
        seed=1,
    )


def parts(**by_variant):
    return {"parts": Grid({f"Fin2/{name}": result(**given) for name, given in by_variant.items()})}


def test_a_claim_is_explained_by_the_run_that_meets_it_or_not_at_all():
    """PCFTL is 34 percent below DFTL here (100 of 175 - 60), 24.2 in the paper; with DFTL's map in memory 24.4."""
    ours = grid(DFTL={}, DLOOP={}, PCFTL={"write": (3, 100.0), "read": (1, 120.0)})
    line = "| PCFTL, response time below DFTL's under Fin2 |"

    def row(further):
        (found,) = [each for each in results(study(further, ours, 3)).splitlines() if each.startswith(line)]
        return found

    assert row({}).endswith("| 24.2% | **off by more than a third** | unexplained |")
    faster = parts(**{runs.WHOLE_MAP: {"write": (3, 150.0), "read": (1, 105.0)}})
    assert "whole map in memory for all (2" in row(faster)
    slower = parts(**{runs.WHOLE_MAP: {"write": (3, 300.0)}})
    assert row(slower).endswith("| unexplained |")
    nearer = parts(**{runs.WHOLE_MAP: {"write": (3, 100.0)}})
    far = results(study(nearer, grid(DFTL={}, DLOOP={}, PCFTL={"write": (3, 50.0)}), 3))
    (found,) = [each for each in far.splitlines() if each.startswith(line)]
    assert found.endswith("| none; nearest whole map in memory for all (37.5) |")


def test_the_results_have_every_claim_and_no_verdict_without_a_number():
    text = results(study(seeds=3))
    assert text.startswith(RESULTS)
    rows = [line for line in text.splitlines() if line.startswith("| ") and not line.startswith(("|  |", "| ---"))]
    assert len(rows) == len(study().held())
    assert all(("| - |" in row) == ("not measured" in row) or "to" in row for row in rows)


def test_causes_are_told_only_where_runs_show_them():
    """PCFTL is 51 percent below DFTL, and 14 with the map in memory; 51 without copy-back, or 9."""
    silent = study()
    assert evidence._map(silent) == evidence._copy_back(silent) == evidence._reuse(silent) == ""
    mapped = study(parts(**{runs.WHOLE_MAP: {"write": (3, 100.0)}}))
    assert "51.4 percent below DFTL's, and 15 percent" in evidence._map(mapped)
    assert "and no longer if" in evidence._map(study(parts(**{runs.WHOLE_MAP: {"write": (3, 60.0)}})))
    alike = study(parts(**{runs.WHOLE_MAP: {}}))
    assert evidence._map(alike) == ""
    copies = study(parts(**{runs.THROUGH_CONTROLLER: {"write": (3, 81.0)}}))
    assert "hardly adds" in evidence._copy_back(copies)
    copies = study(parts(**{runs.THROUGH_CONTROLLER: {"write": (3, 181.0)}}))
    assert "hardly adds" not in evidence._copy_back(copies) and evidence._copy_back(copies)


def test_a_search_is_told_where_it_slows_the_larger_cache():
    def searched(last):
        made = {1: 80.0, 2: last, 4: 90.0, 0.25: 95.0}
        return {
            f"search 10 ns, {setting.name}": grid("Fin1", PCFTL={"write": (3, made[setting.cache_mib])})
            for setting in runs.SEARCHED
        }

    assert evidence._search(study(searched(85.0))).endswith("a search of 10 ns a page under Fin1.")
    assert evidence._search(study(searched(75.0))) == ""


def test_terms_take_the_place_of_systems():
    found = terms.grids(study(parts(**{runs.WHOLE_MAP: {"write": (3, 100.0)}})))
    assert found["whole map in memory for all"].value(measures.response_ms, "Fin2", BASE) == pytest.approx(0.1)
    assert found[terms.AS_ABOVE].value(measures.response_ms, "Fin2", BASE) == pytest.approx(0.175)


@pytest.fixture
def mapped():
    """Fig. 23's runs: SPD takes 1.0, 1.2 and 1.5 ms, all others 2.0, 2.2 and 2.0."""
    others = [name for name in schemes.SCHEMES if name != schemes.SPD]
    latencies = dict.fromkeys(others, (2.0, 2.2, 2.0)) | {schemes.SPD: (1.0, 1.2, 1.5)}
    return SpdGrid(
        {
            f"{scheme}/{mapping}": result(write=(1, 1000 * ms))
            for scheme, each in latencies.items()
            for mapping, ms in {
                **dict(zip(schemes.MAPPINGS, each, strict=True)),
                **dict.fromkeys(schemes.LOG_BLOCKS, 3.0),
                **dict.fromkeys(schemes.CACHES, 1.3),
            }.items()
        }
    )


def test_mappings_are_held_against_the_paper(mapped):
    assert [each.ours for each in schemes.comparisons(mapped)] == pytest.approx([20, 25, 100, 100 / 6, 100])
    slower = schemes.comparisons(mapped, dftl="DFTL, 4 KiB", fast="FAST, 2 log blocks")
    assert [each.ours for each in slower[:2]] == pytest.approx([30, 0])


def test_mappings_are_shown_by_scheme(mapped, tmp_path):
    text = figure_23([mapped], output(tmp_path, "experiments.papers.pcftl"))
    assert "| SPD | 1 | 1.2 | 1.5 |" in text and "| SPD, FAST | 2 | - | 4 | 2 | 3 | 2 | 1.5 |" in text
    assert "| 64 | 2.2 | 1.2 | 20 |" in text and "| 1,024 | 1.3 | 1.3 | 30 |" in text
    assert "| 1 | 2 | 1.5 | 25 | 3 | 3 |" in text and "| all there is room for | 3 | 3 | 0 |" in text
    assert (tmp_path / "fig23.png").exists()
    with (tmp_path / "fig23.csv").open() as file:
        assert [row["scheme"] for row in csv.DictReader(file)] == schemes.SCHEMES


# The command.


@pytest.fixture
def tiny(monkeypatch, tmp_path):
    """A device of 8 planes of 2,048 pages, few settings and variants, and no pieces or mapping schemes."""
    more = ("hardware.channels=1", "hardware.chips_per_channel=1", "hardware.pages_per_block=16")
    monkeypatch.setattr(command, "Device", partial(Device, more=more))
    monkeypatch.setattr(traces, "PIECES", tmp_path / "nowhere")
    monkeypatch.setattr(runs, "VARIANTS", {name: runs.VARIANTS[name] for name in (runs.WHOLE_MAP, runs.EAGER)})
    monkeypatch.setattr(runs, "CMT_SIZES", ())
    monkeypatch.setattr(runs, "SEARCHES", runs.SEARCHES[:1])
    monkeypatch.setattr(runs, "SEARCHED", [runs.CACHES[0], DEFAULT])
    monkeypatch.chdir(tmp_path)
    shown = PAGES, EXTRA, runs.CACHES
    whole = [list(settings) for settings in shown]
    for settings in shown:
        settings[:] = {DEFAULT: 0, settings[0]: 0, settings[-1]: 0}
    yield ["--folder", "out", "--jobs", "1", "--scale", "1/16", "--only", "Exchange", "--seeds", "2"]
    for settings, known in zip(shown, whole, strict=True):
        settings[:] = known


@pytest.mark.more
def test_the_command_writes_report_tables_and_pictures(tiny, capsys):
    assert command.main([*tiny, "--results", "stored.md"]) == 0
    folder = Path("out")
    text = (folder / "report.md").read_text()
    assert all(f"## Fig. {number}:" in text for number in range(10, 16))
    assert "## What the runs show" in text and "## One thing changed at a time" in text
    stored = Path("stored.md").read_text()
    assert RESULTS in stored and stored[stored.index(RESULTS) :] in text and "not measured" in stored
    figures = {f"fig{number}" for number in range(10, 16)}
    assert {path.stem for path in folder.glob("*.png")} == figures
    more = {"fig11_pools", "fig14_variants", "terms", "evidence", "variants"}
    assert {path.stem for path in folder.glob("*.csv")} == figures | more
    with (folder / "fig13.csv").open() as file:
        (row,) = csv.DictReader(file)
    assert float(row["wasted %"]) > 0 and 0 < float(row["valid %"]) < 100
    assert capsys.readouterr().out == "out/report.md\n"


@pytest.mark.parametrize(
    ("given", "told"), [(["--only", "exchang"], "did you mean 'Exchange'"), (["--scale", "1/32"], "at least 1/16")]
)
def test_what_cannot_be_used_is_told_in_one_sentence(given, told, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert command.main(given) == 2
    assert told in capsys.readouterr().err.splitlines()[-1]
