"""The study of the PCFTL paper: its device, workloads and measures, and the command."""

import csv
from fractions import Fraction
from functools import partial
from math import ceil
from pathlib import Path

import numpy as np
import pytest

import experiments.papers.pcftl.__main__ as command
from experiments.compose import prepared, session
from experiments.papers.pcftl import measures, runs, schemes, systems, workloads
from experiments.papers.pcftl.report import figure_23
from experiments.papers.pcftl.runs import DEFAULT, EXTRA, PAGES, Plan
from experiments.papers.pcftl.systems import BASE, OURS, RIVAL, SYSTEMS, Device, Setting
from experiments.papers.pcftl.workloads import TABLE_2, composed, loads, synthetic
from experiments.papers.spd.measures import Grid as SpdGrid
from experiments.study import traces
from experiments.study.measures import Grid
from experiments.study.report import output
from ssdsim.assembly.capacity import active_blocks
from ssdsim.assembly.parts import Parts
from ssdsim.metrics.result import Result
from ssdsim.run.preconditioning import steps_filled
from ssdsim.workload import WRITE, open_workload

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


@pytest.mark.parametrize("name", TABLE_2)
def test_a_synthetic_workload_has_the_numbers_of_table_2(name):
    row = TABLE_2[name]
    times, write, offset, size = requests([*SMALL.overrides(DEFAULT, RIVAL), *synthetic(name, SMALL).overrides])
    assert 100 * write.mean() == pytest.approx(row.write_percent, abs=2)
    assert 100 * updates(offset[write], size[write]) == pytest.approx(row.update_percent, abs=2)
    assert size.mean() / 1024 == pytest.approx(row.mean_kib, rel=0.04)
    assert 1e9 * len(times) / times[-1] == pytest.approx(row.rate_iops, rel=0.04)
    assert times[-1] / 60e9 == pytest.approx(row.minutes / 16, rel=0.04)


def test_a_share_of_pages_written_before_by_hand():
    """Pages 0 and 1, then 1, 2 and 3, then 0: two of six."""
    offset, size = np.array([0, PAGE, 10]), np.array([2 * PAGE, 3 * PAGE - 1, 20])
    assert updates(offset, size) == pytest.approx(1 / 3)


def test_pieces_take_the_names_of_the_paper_and_are_run_whole(tmp_path, monkeypatch):
    for file, _ in workloads.PIECES.values():
        (tmp_path / file).touch()
    monkeypatch.setattr(traces, "PIECES", tmp_path)
    found = loads(SMALL, workloads.available())
    assert list(found) == [*TABLE_2, "Fin1 (synthetic)", "TPC-C (synthetic)"]
    assert [name for name, load in found.items() if load.whole] == ["Fin1", "TPC-C"]
    made = Plan(SMALL, found, {}).of(DEFAULT, [OURS])
    cache = {name: given for name, overrides in made.items() for given in overrides if "buffer.size_mib" in given}
    assert cache["Fin1/PCFTL"] == "buffer.size_mib=2.0"
    assert cache["Fin1 (synthetic)/PCFTL"] == "buffer.size_mib=0.125"


def test_without_pieces_all_workloads_are_synthetic(tmp_path, monkeypatch):
    monkeypatch.setattr(traces, "PIECES", tmp_path)
    assert workloads.available() == dict.fromkeys(TABLE_2)


def test_the_piece_of_tpcc_comes_at_the_rate_of_the_table():
    speedup = float(workloads.PIECES["TPC-C"][1][0].partition("=")[2])
    seconds = workloads.TPCC_PIECE_S / speedup
    assert workloads.TPCC_PIECE_REQUESTS / seconds == pytest.approx(3635, rel=1e-4)


# Systems.


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_whole_device_is_the_papers(system):
    with session():
        for setting in (*PAGES, EXTRA[-1]):
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


def test_runs_of_every_part_can_be_composed():
    parts = Plan(SMALL, {"Build": synthetic("Build", SMALL)}, {}).parts()
    assert {setting.name for setting in (*PAGES, *EXTRA, *runs.CACHES)} < set(parts)
    with session():
        for part, of in parts.items():
            for overrides in list(of.values())[0 if part == "parts" else -1 :]:
                prepared(overrides)


def test_a_fixed_threshold_leaves_the_extra_blocks_free_at_first():
    fixed = composed(Plan(SMALL, {"Build": synthetic("Build", SMALL)}, {}).fixed_threshold()[f"Build/{OURS}"])
    assert fixed.ftl.gc.trigger == "free_blocks"
    assert fixed.ftl.gc.soft_threshold == SMALL.extra_blocks(EXTRA[0], OURS) - systems.HELD[OURS]
    assert steps_filled(fixed)[:2] == (128, 128)
    assert fixed.hardware.extra_blocks == SMALL.extra_blocks(EXTRA[-1], OURS)
    idle = fixed.ftl.gc.background_threshold * fixed.hardware.physical_blocks
    assert ceil(idle) == SMALL.extra_blocks(EXTRA[0], OURS)


# Measures.


def result(read=(1, 100.0), write=(3, 200.0), spread=10.0, count=100, valid=0.2, wasted=5):
    served = {op: {"count": n, "response_us": {"mean": us}} for op, (n, us) in (("read", read), ("write", write))}
    gc = {"collections": count, "victim_valid_share": valid, "page_moves": 20}
    mapping = {"memory_bytes": 2048, "hit_ratio": None, "reads": 8, "writes": 4, "merges": {"partial": 1, "full": 2}}
    return Result({"requests": served, "sdwpp": spread, "gc": gc, "wasted_pages": wasted, "mapping": mapping})


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


def test_gains_are_held_against_the_paper():
    """Mean response times of 175, 92.5 and 85 us."""
    held = {each.what: each for each in measures.page_comparisons(same(DEFAULT, **FASTER))}
    ours = held["PCFTL, response time below DFTL's, mean"]
    assert ours.ours == pytest.approx(100 * 90 / 175) and ours.agrees
    assert held["PCFTL, response time below DFTL's under Fin2"].ours == ours.ours
    assert held["PCFTL, SDWPP below DFTL's, mean"].ours == pytest.approx(80)
    assert held["PCFTL, SDWPP below DLOOP's, mean"].ours == pytest.approx(75)


def test_more_collections_are_above_and_fewer_below():
    counts = {BASE: {"count": 1000}, RIVAL: {"count": 1037}, OURS: {"count": 1024}}
    held = measures.collection_comparisons(grid(**counts))
    assert [each.ours for each in held] == pytest.approx([2.4, 3.7, 100 * 13 / 1037])
    assert all(each.agrees for each in held)


def test_what_more_space_saves_is_told_from_the_first_to_the_last():
    grids = same(DEFAULT, **FASTER) | {EXTRA[-1]: grid(PCFTL={"write": (3, 60.0), "count": 75})}
    held = {each.what: each.ours for each in measures.extra_comparisons(grids)}
    assert held["PCFTL, response time under Fin2, 30 percent below 3 percent"] == pytest.approx(100 * 15 / 85)
    assert held["PCFTL, collections under Fin2, 30 percent below 3 percent"] == pytest.approx(25)


def test_a_larger_cache_is_held_against_the_smallest():
    grids = same(DEFAULT, **FASTER) | {runs.CACHES[0]: grid(PCFTL={"spread": 4.0})}
    (held,) = measures.cache_comparisons(grids, measures.sdwpp, "SDWPP", {"Fin2": 12.1})
    assert held.ours == 50


def test_workloads_without_the_papers_names_are_not_held_against_it():
    made = grid("Fin1 (synthetic)", **FASTER)
    grids = dict.fromkeys((*PAGES, *EXTRA, *runs.CACHES), made)
    assert measures.page_comparisons(grids) == measures.collection_comparisons(made) == []
    (held,) = measures.cache_comparisons(grids, measures.sdwpp, "SDWPP", {"Fin1": 29})
    assert held.what == "SDWPP under Fin1 (synthetic), 4 MiB below 256 KiB"


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
    assert [each.ours for each in schemes.comparisons(mapped)] == pytest.approx([20, 25, 1, 5])


def test_mappings_are_shown_by_scheme(mapped, tmp_path):
    text = figure_23(mapped, output(tmp_path, "experiments.papers.pcftl"))
    assert "| SPD | 1 | 1.2 | 1.5 |" in text and "| SPD, FAST | 2 | - | 4 | 2 | 3 | 2 |" in text
    assert "4 KiB 30, 16 KiB 30, 256 KiB 30, 1024 KiB 30." in text
    assert "2 log blocks 0, 3 log blocks 0, all log blocks 0." in text and (tmp_path / "fig23.png").exists()
    with (tmp_path / "fig23.csv").open() as file:
        assert [row["scheme"] for row in csv.DictReader(file)] == schemes.SCHEMES


# The command.


@pytest.fixture
def tiny(monkeypatch, tmp_path):
    """A device of 8 planes of 2,048 pages, few settings, and no pieces or mapping schemes."""
    more = ("hardware.channels=1", "hardware.chips_per_channel=1", "hardware.pages_per_block=16")
    monkeypatch.setattr(command, "Device", partial(Device, more=more))
    monkeypatch.setattr(traces, "PIECES", tmp_path / "nowhere")
    monkeypatch.chdir(tmp_path)
    shown = PAGES, EXTRA, runs.CACHES
    whole = [list(settings) for settings in shown]
    for settings in shown:
        settings[:] = {DEFAULT: 0, settings[0]: 0, settings[-1]: 0}
    yield ["--folder", "out", "--jobs", "1", "--scale", "1/16", "--only", "Exchange"]
    for settings, known in zip(shown, whole, strict=True):
        settings[:] = known


def test_the_command_writes_report_tables_and_pictures(tiny, capsys):
    assert command.main(tiny) == 0
    folder = Path("out")
    text = (folder / "report.md").read_text()
    assert all(f"## Fig. {number}:" in text for number in range(10, 16))
    assert "## Where and why" in text
    figures = {f"fig{number}" for number in range(10, 16)}
    assert {path.stem for path in folder.glob("*.png")} == figures
    assert {path.stem for path in folder.glob("*.csv")} == {*figures, "fig11_threshold", "evidence", "variants"}
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
