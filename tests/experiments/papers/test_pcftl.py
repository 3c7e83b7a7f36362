"""The study of the PCFTL paper: its device, workloads and measures, and the command."""

import csv
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import experiments.papers.pcftl.__main__ as command
from experiments.papers.pcftl import choices, claims, measures, systems, workloads
from experiments.papers.pcftl.claims import CLAIMS
from experiments.papers.pcftl.parts import Plan
from experiments.papers.pcftl.systems import (
    BASE,
    CACHES,
    DEFAULT,
    EXTRA,
    FREE,
    LATE,
    OURS,
    PAGES,
    RIVAL,
    SYSTEMS,
    Device,
    Setting,
)
from experiments.papers.pcftl.workloads import (
    DLOOP_PERCENT,
    TABLE_2,
    VARIATION,
    Load,
    pieces,
    repeating,
    synthetic,
    uneven,
)
from experiments.study import traces
from experiments.study.numbers import Number
from ssdsim.assembly.capacity import active_blocks
from ssdsim.assembly.parts import Parts
from ssdsim.command.compose import composed, prepared, session
from ssdsim.metrics.result import Result
from ssdsim.states.preconditioning import steps_filled
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
    times, write, offset, size = requests([*SMALL.overrides(Setting(), RIVAL), *made.overrides])
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
    assert pytest.approx(4961 / (436_200 * 0.354 * 4 / 32)) == VARIATION
    for name, even in (("TPC-C", 0.06), ("Build", 0.15)):
        for found, target in ((False, VARIATION), (True, None)):
            overrides = [
                *SMALL.overrides(Setting(), RIVAL),
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
    made = Plan(SMALL, found, tmp_path).runs(Setting(), OURS)
    assert "buffer.size_mib=2.0" in made["Fin1 (piece)/PCFTL"] and "buffer.size_mib=0.125" in made["Fin1/PCFTL"]
    assert SMALL.search(10) == "buffer.search_ns=160.0" and SMALL.search(10, Fraction(1)) == "buffer.search_ns=10.0"


def test_the_piece_of_tpcc_comes_at_the_rate_of_the_table():
    speedup = float(workloads.PIECES["TPC-C (piece)"][1][0].partition("=")[2])
    seconds = workloads.TPCC_PIECE_S / speedup
    assert workloads.TPCC_PIECE_REQUESTS / seconds == pytest.approx(3635, rel=1e-4)


# Systems.


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_whole_device_is_the_papers(system):
    with session():
        for setting in (*PAGES.values(), Setting(extra=30)):
            overrides = [*Device(Fraction(1)).overrides(setting, system), "workload=synthetic"]
            hardware = prepared(overrides).config.hardware
            assert (hardware.channels, hardware.chips_per_channel, hardware.planes) == (2, 2, 32)
            assert hardware.capacity_bytes == 8 * 2**30
            assert hardware.page_bytes * hardware.bus_ns_per_byte == pytest.approx(25_000)
            share = [f"ftl.extra_block_share={setting.extra / 100}", "hardware.extra_blocks=0"]
            assert prepared([*overrides, *share]).config.hardware.extra_blocks == hardware.extra_blocks
    assert hardware.logical_pages == Device(Fraction(1)).pages(Setting()) == 4_194_304
    assert Device(Fraction(1)).extra_blocks(Setting(), system) == 50


def test_active_blocks_are_those_of_the_stacks_and_none_collects_in_idle_time():
    for system, active in systems.HELD.items():
        config = composed([*SMALL.overrides(Setting(), system), "workload=synthetic"])
        assert config.ftl.gc.background_threshold is None
        of_map = config.ftl.mapping.scheme == "dftl"
        assert active_blocks(Parts(config)) + of_map == active


def test_a_smaller_device_keeps_the_share_of_spare_blocks():
    whole, half = Device(Fraction(1)), Device(Fraction(1, 2))
    for system, active in systems.HELD.items():
        spare = half.extra_blocks(Setting(extra=30), system) - active
        assert 2 * spare == pytest.approx(whole.extra_blocks(Setting(extra=30), system) - active, abs=1)


@pytest.mark.more
def test_runs_of_every_part_can_be_composed(traces_folder):
    plan = Plan(SMALL, {"Build": synthetic("Build", SMALL, traces_folder)}, traces_folder)
    left_open = choices.choices(plan)
    of_choices = [runs for choice in left_open for value in choice.others.values() for runs in value.parts.values()]
    made = [*plan.figures().values(), *of_choices]
    with session():
        for overrides in {(*given,) for runs in made for given in runs.values()}:
            prepared(list(overrides))
    assert {part for choice in left_open for value in choice.others.values() for part in value.parts} <= {
        *plan.figures()
    }


@pytest.mark.parametrize(("pool", "of"), [(FREE, 30), (LATE, systems.FEWEST_EXTRA)])
def test_extra_blocks_that_are_free_at_first(pool, of):
    """30 percent of 2,048 blocks are 615, of which collection works with 492; here a sixteenth of them."""
    overrides = SMALL.overrides(Setting(extra=30, pool=pool), OURS)
    found = composed([*overrides, "workload=synthetic"])
    kept = SMALL.extra_blocks(Setting(extra=of), OURS) - systems.HELD[OURS]
    assert found.ftl.gc.trigger == "free_blocks" and found.ftl.gc.soft_threshold == kept
    assert steps_filled(found)[:2] == (128, 128)
    worked_with = SMALL.extra_blocks(Setting(extra=30), OURS)
    assert found.hardware.extra_blocks - worked_with == (round(123 / 16) if pool == FREE else 0)


# Measures.


def result(read=(1, 100.0), write=(3, 200.0), spread=10.0, count=100, valid=0.2, wasted=5, cost=None):
    served = {op: {"count": n, "response_us": {"mean": us}} for op, (n, us) in (("read", read), ("write", write))}
    gc = {"collections": count, "victim_valid_share": valid, "page_moves": 20, "cost_us": cost or {}}
    flash = {"copybacks": {"gc": 15}}
    pages = {"requested_page_writes": 3200, "host_page_writes": 3000, "wasted_pages": wasted}
    return Result({"requests": served, "page_writes_per_plane_std": spread, "gc": gc, "flash": flash, **pages})


FASTER = {BASE: {}, RIVAL: {"write": (3, 90.0), "spread": 8.0}, OURS: {"write": (3, 80.0), "spread": 2.0}}
SETTINGS = (*PAGES, *EXTRA, *CACHES)


def results(workload="Fin2", settings=SETTINGS, **by_system):
    """Mean response times of 175, 92.5 and 85 us, if nothing else is given, under each setting."""
    given = FASTER | by_system
    made = {system: {f"{workload}/{system}": result(**given[system])} for system in SYSTEMS}
    return {f"{name}, {system}": made[system] for name in settings for system in SYSTEMS}


HELD = claims.held(1000)


def test_every_claim_is_measured_or_says_why_not():
    names = [claim.name for claim in CLAIMS]
    assert len({*names}) == len(names) and len({claim.what for claim in CLAIMS}) == len(names)
    assert {*HELD} == {claim.name for claim in CLAIMS if not claim.left_out}


def test_a_response_time_is_that_of_all_requests():
    assert measures.served_ms(result().summary) == pytest.approx(0.175)
    assert measures.served_ms(result(read=(0, None), write=(0, None)).summary) is None
    assert measures.served_ms(result(read=(0, None)).summary) == pytest.approx(0.2)


def test_writes_wait_for_the_collections_that_they_cause():
    """20 pages moved in 220 us and one erase of 2 ms, of four requests."""
    cost = {"read": 400.0, "write": 4000.0, "transfer": 0.0, "erase": 2000.0}
    assert measures.response_ms(result(cost=cost).summary) == pytest.approx(0.175 + (20 * 0.22 + 2) / 4)


def test_waste_is_told_of_the_device():
    summary = result().summary
    assert measures.wasted(1000)(summary) == 0.5
    assert measures.valid(summary) == pytest.approx(20)
    assert measures.not_copied(summary) == pytest.approx(25)


def test_gains_are_held_against_the_paper():
    found = results()
    ours, rivals = 100 * (1 - 85 / 175), 100 * (1 - 92.5 / 175)
    names = ("pcftl_below_dftl", "pcftl_below_dftl_fin2", "dloop_below_dftl", "always_below_dftl")
    assert [HELD[f"fig10.{name}"](found) for name in names] == pytest.approx([ours, ours, rivals, 100])
    assert HELD["fig10.sdwpp_below_dftl"](found) == pytest.approx(80)
    assert HELD["fig10.sdwpp_below_dloop"](found) == pytest.approx(75)
    assert HELD["fig10.falls"](found) == 0 and HELD["fig10.pcftl_mostly_below_dloop"](found) == 100
    assert HELD["fig10.pcftl_below_dftl_fin1"](found) is HELD["fig10.sdwpp_lowest_fin1"](found) is None


def test_below_dloop_is_of_all_cases_but_the_one_that_the_paper_excepts():
    found = results("TPC-C") | results("TPC-C", [DEFAULT], **{OURS: {"write": (3, 900.0)}})
    assert HELD["fig10.pcftl_below_dloop"](found) == pytest.approx(100 * (1 - 85 / 92.5))
    assert HELD["fig10.pcftl_below_dloop_tpcc"](found) == pytest.approx(100 * (1 - 700 / 92.5))


def test_an_overloaded_run_is_held_against_nothing():
    found = results("TPC-C", **{BASE: {"write": (3, 1e6)}})
    larger = {part: each for part, each in results("TPC-C").items() if part.startswith(("4 KiB", "8 KiB", "16 KiB"))}
    assert HELD["fig10.pcftl_below_dftl_tpcc"](found | larger) == pytest.approx(100 * (1 - 85 / 175))
    assert HELD["fig11.always_below_dftl"](found) is None
    assert HELD["fig10.pcftl_below_dloop_tpcc"](found) == pytest.approx(100 * (1 - 85 / 92.5))


def test_flatness_is_told_of_dftls_deviation():
    """PCFTL's rises from 2 to 3 pages, of DFTL's 10."""
    found = results() | results(settings=["16 KiB"], **{OURS: {"spread": 3.0}})
    assert HELD["fig10.sdwpp_flat_pcftl"](found) == pytest.approx(10)
    assert HELD["fig10.sdwpp_flat_dftl"](found) == 0


def test_deviations_are_told_of_the_pages_that_the_host_writes():
    """100 pages a plane: 20 of them."""
    assert measures.variation(result(spread=20.0).summary) == pytest.approx(20)
    assert HELD["fig11.tpcc_dftl"](results("TPC-C", ["whole"], **{BASE: {"spread": 20.0}})) == pytest.approx(20)
    assert pytest.approx(25.7, abs=0.05) == DLOOP_PERCENT


def test_more_collections_are_above_and_fewer_below():
    found = results(**{BASE: {"count": 1000}, RIVAL: {"count": 1037}, OURS: {"count": 1024}})
    names = ("pcftl_above_dftl", "dloop_above_dftl", "pcftl_below_dloop", "dftl_least")
    assert [HELD[f"fig12.{name}"](found) for name in names] == pytest.approx([2.4, 3.7, 100 * 13 / 1037, 100])


def test_what_more_space_saves_is_told_from_the_first_to_the_last():
    found = results() | results(settings=["extra 30 %"], **{OURS: {"write": (3, 60.0), "count": 75, "spread": 2.0}})
    assert HELD["fig11.fin2_response"](found) == pytest.approx(100 * 15 / 85)
    assert HELD["fig11.fin2_collections"](found) == pytest.approx(25)
    assert HELD["fig11.sdwpp_falls_dftl"](found) == HELD["fig11.sdwpp_pcftl_rises"](found) == 0


def test_a_larger_cache_is_held_against_the_smallest():
    smaller = {OURS: {"write": (3, 120.0), "spread": 4.0}}
    found = results() | results(settings=["cache 0.25 MiB"], **smaller)
    assert HELD["fig14.fin2"](found) == pytest.approx(100 * (1 - 85 / 115))
    assert HELD["fig14.falls"](found) == 25 and HELD["fig15.falls"](found) == 25
    assert HELD["fig14.beyond_2_mib"](found) == HELD["fig15.beyond_2_mib"](found) == 0
    slower = results("Fin1") | results("Fin1", ["cache 1 MiB"], **{OURS: {"write": (3, 60.0)}})
    assert HELD["fig14.fin1_slower_with_2_mib"](slower) == pytest.approx(100 * (85 / 70 - 1))


def test_the_workload_with_most_is_ahead_of_all_others():
    values = {"Fin1": 3.0, "Fin2": 1.0, "Exchange": 2.0, "Build": None, "TPC-C": 2.5}
    numbers = {name: Number(lambda _, value=value: value) for name, value in values.items()}
    found = [claims.share(claims.leads(numbers, name))({}) for name in values]
    assert found == [100, 0, pytest.approx(100 / 3), None, pytest.approx(200 / 3)]
    assert claims.share(-lead for lead in claims.leads(numbers, "Fin2"))({}) == 100


# The command.


@pytest.fixture
def tiny(monkeypatch, tmp_path):
    """A device of 8 planes of 2,048 pages, few settings and one choice."""
    more = ("hardware.channels=1", "hardware.chips_per_channel=1", "hardware.pages_per_block=16")
    monkeypatch.setattr(command, "Device", partial(Device, more=more))
    every = choices.choices
    monkeypatch.setattr(command, "choices", lambda plan: every(plan)[:1])
    monkeypatch.chdir(tmp_path)
    for settings in (PAGES, EXTRA, CACHES, systems.LARGER):
        kept = [*settings][:: max(len(settings) - 1, 1)]
        for name in [*settings]:
            if name not in (*kept, DEFAULT):
                monkeypatch.delitem(settings, name)
    return ["--folder", "out", "--jobs", "1", "--scale", "1/16", "--workloads", "Exchange", "--seeds", "1"]


@pytest.mark.more  # the commands of SPD and flexFTL are run as a whole
def test_the_command_writes_report_tables_and_pictures(tiny, capsys):
    assert command.main([*tiny, "--results", "stored.md"]) == 0
    folder = Path("out")
    text = (folder / "report.md").read_text()
    assert all(f"## Fig. {number}:" in text for number in range(10, 16))
    stored = Path("stored.md").read_text()
    assert "## All claims" in stored and "### Cache of DFTL's map" in stored and "not measured" in stored
    figures = {f"fig{number}" for number in range(10, 16)}
    assert {path.stem for path in folder.glob("*.png")} == {path.stem for path in folder.glob("*.csv")} == figures
    with (folder / "fig13.csv").open() as file:
        (row,) = csv.DictReader(file)
    assert float(row["wasted %"]) > 0 and 0 < float(row["valid %"]) < 100
    assert capsys.readouterr().out == "out/report.md\n"


@pytest.mark.parametrize(
    ("given", "told"),
    [(["--workloads", "exchang"], "did you mean 'Exchange'"), (["--scale", "1/32"], "at least 1/16")],
)
def test_what_cannot_be_used_is_told_in_one_sentence(given, told, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert command.main(given) == 2
    assert told in capsys.readouterr().err.splitlines()[-1]
