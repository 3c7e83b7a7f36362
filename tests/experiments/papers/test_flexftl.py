"""The experiments of the flexFTL paper: workloads with Table 1's ratios, measures by hand, and the command, tiny."""

import csv
from functools import partial
from pathlib import Path

import attrs
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import experiments.papers.flexftl.__main__ as command
from experiments.papers.flexftl import choices, claims, commands, measures, runs, systems, workloads
from experiments.papers.flexftl.commands import Programs
from experiments.papers.flexftl.systems import BASE, OURS, SYSTEMS, Device
from experiments.papers.flexftl.workloads import NAMES, composed, idle_s, load
from experiments.study.measures import device_pages
from ssdsim.metrics.result import Result
from ssdsim.policies import ProgramOrder
from ssdsim.workload import WRITE, open_workload

SMALL = Device(64)
HARDWARE = composed(SMALL.overrides()).hardware
TABLE_1 = {"OLTP": (7, 3), "NTRX": (3, 7), "Webserver": (4, 1), "Varmail": (1, 1), "Fileserver": (1, 2)}


# Workloads.


@pytest.mark.parametrize("name", NAMES)
def test_a_workload_has_the_ratio_of_table_1_and_writes_its_volume(name):
    made = load(name, SMALL, 0.2)
    config = composed(made.on(BASE))
    hardware, reads, writes, pages = config.hardware, 0, 0, 0
    for chunk in open_workload(config.workload, hardware.capacity_bytes, hardware.page_bytes, config.seed).chunks():
        write = chunk.op == WRITE
        reads, writes = reads + int((~write).sum()), writes + int(write.sum())
        last = (chunk.offset_bytes + chunk.size_bytes - 1) // hardware.page_bytes
        pages += int((last - chunk.offset_bytes // hardware.page_bytes + 1)[write].sum())
    wanted = TABLE_1[name][1] / sum(TABLE_1[name])
    assert writes / (reads + writes) == pytest.approx(wanted, abs=0.02)
    assert made.pages == round(0.2 * 64 * 256 * 32)
    assert pages == pytest.approx(made.pages, rel=0.05)


@pytest.mark.parametrize("name", NAMES)
def test_only_the_intensive_workloads_never_idle(name):
    config = composed(load(name, SMALL, 0.2).on(OURS))
    idle, workload = idle_s(config), config.workload
    if name in workloads.INTENSIVE:
        assert idle == 0
    else:
        bursts = workload.requests / workload.burst_requests
        assert 1000 * idle / bursts == pytest.approx(workload.idle_ms, rel=6 / np.sqrt(bursts))


def test_changes_to_a_workload_go_before_what_it_is():
    made = load("Varmail", attrs.evolve(SMALL, data=0.5), 0.1, "workload.burst_requests=7")
    changed = composed(made.on(BASE))
    assert changed.workload.burst_requests == 7
    assert changed.hardware.logical_pages == 0.5 * 64 * 256 * 32
    assert changed.workload.requests == round(made.pages / 4 / 0.5)


# Systems.


def test_the_whole_device_is_the_papers():
    for system in SYSTEMS:
        hardware = composed(Device(systems.BLOCKS).overrides(system)).hardware
        assert device_pages(hardware) * hardware.page_bytes == 16 * 2**30
        assert (hardware.channels, hardware.chips_per_channel, hardware.planes) == (8, 4, 32)
        assert (hardware.program_us, hardware.read_us) == ([500.0, 2000.0], [40.0])
    assert measures.initial_quota(hardware) == int(0.05 * 32 * 512 * 128)


@pytest.mark.parametrize("blocks", [systems.FEWEST_BLOCKS, 64, systems.BLOCKS])
@pytest.mark.parametrize("data", [systems.DATA, *choices.SHARES.values()])
def test_all_systems_have_the_same_capacity_and_the_share_of_spare_blocks_of_the_whole_device(blocks, data):
    whole = systems.BLOCKS * (1 - data)
    capacities = set()
    for system, withheld in systems.HELD.items():
        config = composed(Device(blocks, data=data).overrides(system))
        hardware = config.hardware
        capacities.add(hardware.capacity_bytes)
        spare = hardware.blocks_per_plane - blocks * data - withheld
        assert spare == pytest.approx((whole - withheld) * blocks / systems.BLOCKS, abs=0.5)
        assert (config.ftl.backup == "none") == (system == BASE)
        if system == OURS:
            quota = config.ftl.page_type_options["adaptive"]["quota"] * hardware.blocks_per_plane
            assert quota == pytest.approx(0.05 * blocks)
    (capacity,) = capacities
    assert capacity == int(data * blocks * 256 + 1e-9) * 32 * 4096


def test_blocks_that_hold_no_data_are_those_of_the_stacks():
    for system, withheld in systems.HELD.items():
        ftl = composed(SMALL.overrides(system)).ftl
        active = {"return_to_fast": ftl.return_to_fast_blocks, "two_phase": 2}.get(ftl.page_order, 1)
        assert withheld == ftl.gc.soft_threshold + active + (0 if ftl.backup == "none" else 2)


def test_the_example_is_the_papers_device():
    hardware = composed(attrs.evolve(SMALL, more=runs.EXAMPLE).overrides(OURS)).hardware
    assert (hardware.dies, hardware.wordlines) == (16, 64)
    assert 16 * 2 * 64 * hardware.read_us[0] / 1000 == pytest.approx(runs.REBOOT_MS) == pytest.approx(81.92)


def test_power_is_cut_at_several_moments_of_each_system_before_everything_is_written():
    cuts = runs.further(SMALL, ["NTRX"])[runs.CUT_PART]
    assert len(cuts) == len(SYSTEMS) * len(runs.CUTS)
    for share in runs.CUTS:
        config = composed(cuts[f"{share:g}/{OURS}"])
        written = config.workload.requests * 0.7 * 2.5
        assert 0.2 * written < config.power_loss.after_programs < 0.8 * written


def test_set_ups_are_what_the_papers_text_says():
    ftl = {system: composed(SMALL.overrides(system)).ftl for system in SYSTEMS}
    assert (ftl["parityFTL"].backup_place, ftl["rtfFTL"].backup_moved) == ("next_channel", False)
    assert ftl["rtfFTL"].return_to_fast_blocks == systems.RTF_BLOCKS


@pytest.fixture(scope="module")
def by_name():
    return {choice.name: choice for choice in choices.choices(SMALL, NAMES, HARDWARE)}


def test_other_values_run_something_else_or_measure_it(by_name):
    defaults = runs.figure_8(runs.loads_of(SMALL, NAMES))
    for value in (value for choice in by_name.values() for value in choice.others.values()):
        assert value.parts or value.held
        assert all(defaults[part] != of for part, of in value.parts.items())
    parts = by_name["Copies of rtfFTL"].others["moved pages too"].parts
    assert composed(parts["NTRX, rtfFTL"]["NTRX/rtfFTL"]).ftl.backup_moved
    parts = by_name["Idle times"].others["4 and 8 s"].parts
    assert composed(parts["Webserver, flexFTL"]["Webserver/flexFTL"]).workload.idle_ms == 8000
    assert "NTRX, flexFTL" not in parts


# Claims.


def test_every_claim_is_held_or_left_out_with_a_reason():
    names = [claim.name for claim in claims.CLAIMS]
    assert len({*names}) == len(names)
    assert {*claims.held(HARDWARE)} == {claim.name for claim in claims.CLAIMS if not claim.left_out}


def test_the_null_of_the_bandwidth_of_slc_is_that_of_pages_by_turns():
    (claim,) = (claim for claim in claims.CLAIMS if claim.name == "fig8c.slc")
    fast, slow = (10.44 + array_us for array_us in (500, 2000))
    assert claim.null == pytest.approx(100 * fast / ((fast + slow) / 2), abs=0.1)


# Measures.


def result(iops=100, erased=40, **columns):
    """Return a result of which the second half of what is written has 4 s, `iops` and all erases."""
    columns = columns or {
        "host_page_writes": [5, 5],
        "erases": [0, erased],
        "window_s": [6.0, 4.0],
        **{op: [7, 2 * iops] for op in ("reads", "writes")},
    }
    summary = {
        "requests": {"read": {"count": 60}, "write": {"count": 40}},
        "simulated_s": 10.0,
        "flash": {"erases": {"gc": erased - 4, "backup": 4}, "programs": {"host": 50, "gc": 30, "backup": erased}},
    }
    return Result(summary, None, {"timeseries": pa.table(columns)})


def results(by_system, workloads=NAMES):
    """Return results of systems, each with a result by workload or one for all."""
    return {
        runs.part(name, system): {f"{name}/{system}": found[name] if isinstance(found, dict) else found}
        for name in workloads
        for system, found in by_system.items()
    }


ALL = {"pageFTL": result(100, 40), "parityFTL": result(80, 50), "rtfFTL": result(50, 60), "flexFTL": result(110, 40)}


def held_of(name, found):
    return claims.held(HARDWARE)[name](found)


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("fig8a.pageftl_largest", 10),
        ("fig8a.parityftl_mean", 100 * (110 / 80 - 1)),
        ("fig8a.rtfftl_largest", 120),
        ("fig8a.webserver", 10),
        ("fig8a.rtfftl_below", 50),
        ("fig8a.parityftl_intensive", 0),
        ("fig8b.parityftl_mean", 20),
        ("fig8b.rtfftl_largest", 100 / 3),
        ("fig8b.parityftl_pages", 100 * (1 - 120 / 130)),
    ],
)
def test_gains_by_hand(name, ours):
    assert held_of(name, results(ALL)) == pytest.approx(ours)


def test_a_mean_over_the_papers_workloads_is_not_measured_without_one_of_them():
    with pytest.raises(KeyError):
        held_of("fig8a.parityftl_mean", results(ALL, NAMES[:-1]))


def test_what_the_paper_says_of_workloads_by_hand():
    rises = {"OLTP": 1, "NTRX": 3, "Webserver": -2, "Varmail": 14, "Fileserver": 10}
    found = {BASE: result(100), OURS: {name: result(100 + rise) for name, rise in rises.items()}}
    found |= {"rtfFTL": {name: result(50 if name in workloads.INTENSIVE else 100) for name in NAMES}}
    ours = [held_of(f"fig8a.{name}", results(found)) for name in ("others", "most_effective", "rtfftl_intensive")]
    assert ours == pytest.approx([1, 10 - 3, (102 + 106) / 2 - (14 + 10 - 2) / 3])


def test_iops_of_the_time_with_requests_under_way_leave_idle_times_out():
    made = load("Varmail", SMALL, 0.01)
    assert choices.busy_iops({"Varmail": attrs.evolve(made, idle_s=6)}, "Varmail", result()) == 100 / (10 - 6)
    assert measures.all_iops("Varmail", result()) == 100 / 10


def test_pages_are_told_for_each_of_the_hosts_and_for_two():
    summary = ALL["parityFTL"].summary
    assert measures.programs(summary) == 50 + 30 + 50
    assert measures.for_each_of_host(summary, "gc") == 0.6
    assert measures.pages_for_two(summary) == 2 + 2 * 50 / 80


def test_the_course_of_quota_and_buffer_is_told_by_windows():
    """Of five windows; in the last but one no request is complete."""
    done = {"reads": [0, 0, 1, 0, 2], "writes": [1, 2, 0, 0, 1]}
    made = result(**done, lsb_quota=[20, 10, 0, 70, -10], buffer_utilization=[0.0, 0.9, 1.0, 1.0, 0.1])
    assert list(measures.course(made, initial=10).values()) == [0.5, -1, 50, 0.5, 50]


def test_later_is_the_second_half_of_what_is_written():
    done = {"reads": [9, 9, 3, 1], "writes": [9, 9, 4, 2], "window_s": [1.0, 1.0, 2.0, 0.5]}
    made = result(host_page_writes=[10, 30, 20, 40], erases=[1, 2, 4, 8], **done)
    assert measures.later_erases("", made) == 12
    assert measures.later_iops("", made) == (3 + 4 + 1 + 2) / (2.0 + 0.5)


# Commands.


def programs(starts, ends, types, chips=None):
    columns = [np.array(column) for column in (starts, ends, types, chips or [0] * len(starts))]
    return Programs(*columns)


def test_the_window_follows_from_the_pool_of_rtfftl():
    lsb_us = 0.2 + 4096 * 2.5 / 1000 + 500
    assert commands.drain_s(HARDWARE) == pytest.approx(8 * lsb_us / 1e6)
    assert commands.slc_mib_s(HARDWARE) == pytest.approx(32 * 4096 / 2**20 / lsb_us * 1e6)


def test_bandwidth_is_that_of_the_windows_in_which_something_was_programmed():
    ends_ns = [0, 9_900_000, 10_000_000, 35_000_000, 39_000_000, 39_900_000]
    made = programs(ends_ns, ends_ns, [0] * 6)
    found = made.by_window(2**20, window_s=0.01)
    assert found.tolist() == [200, 100, 300] and made.mean(2**20, window_s=0.01) == 200
    assert made.average(2**20) == pytest.approx(6 / 0.0399)
    at, share = commands.distribution(found)
    assert (at.tolist(), share.tolist()) == ([100, 200, 300], pytest.approx([1 / 3, 2 / 3, 1]))


def test_rows_of_lsb_pages_are_in_the_order_in_which_programs_begin():
    """LSB 0, 1 and 3 on chip 0 with an MSB page between; chip 1 has LSB 2, which ends after that."""
    made = programs([0, 1, 3, 4, 2], [5, 6, 7, 8, 9], [0, 0, 1, 0, 0], [0, 0, 0, 0, 1])
    assert (made.longest_row(), made.longest_row_of_chip()) == (3, 2)


COLUMNS = ("op", "source", "page_type", "channel", "chip", "block", "page", "array_start_ns", "array_end_ns", "end_ns")


def recorded(folder, rows):
    """Return a result whose commands are `rows` of operation, source, page type and page, one after the other."""
    lines = [(op, of, kind, 0, 0, 0, page, at, at + 5 + 15 * kind, at) for at, (op, of, kind, page) in enumerate(rows)]
    columns = [pa.array(column) for column in zip(*lines, strict=True)]
    pq.write_table(pa.table(dict(zip(COLUMNS, columns, strict=True))), folder / "commands.parquet")
    return Result({}, folder)


def test_commands_of_the_host_of_data_and_of_backups_are_told_apart(tmp_path):
    rows = [("program", "host", 0, 0), ("read", "host", 0, 0), ("program", "gc", 0, 1), ("program", "host", 1, 2)]
    made = recorded(
        tmp_path, [*rows, ("program", "backup", 0, 0), ("program", "host", 0, 3), ("program", "host", 1, 4)]
    )
    assert commands.host_programs(made).ends_ns.tolist() == [5, 6]
    assert commands.data_programs(made).page_types.tolist() == [1, 0, 1]
    assert commands.lsb_pages_a_backup(made) == 3
    assert commands.msb_with_backup(made) == (20 + 5) / 5


@pytest.mark.parametrize(("types", "most"), [([0, 0, 1, 0, 1, 1], 1), ([0, 1, 0, 1, 0, 1], 2)])
def test_programs_beside_a_full_wordline_are_counted_from_erase_to_erase(tmp_path, types, most):
    """Of three wordlines in their order, and again after an erase."""
    order = ProgramOrder(3, 2, "rps")
    seen = {0: 0, 1: 0}
    rows = []
    for kind in types:
        rows.append(("program", "gc", kind, order.page_of(seen[kind], kind)))
        seen[kind] += 1
    made = recorded(tmp_path, [*rows, ("erase", "gc", 0, 0), *rows])
    assert commands.most_aggressors(made, order) == most


# The command.


@pytest.fixture
def tiny(monkeypatch, tmp_path):
    """A device of 4 chips of 1,024 pages, and few choices."""
    geometry = ("channels=2", "chips_per_channel=2", "pages_per_block=16")
    more = (*(f"hardware.{each}" for each in geometry), "buffer.size_mib=0.25")
    monkeypatch.setattr(command, "Device", partial(Device, more=more))
    every = choices.choices
    monkeypatch.setattr(command, "choices", lambda *given: [each for each in every(*given) if each.name in CHOSEN])
    monkeypatch.setattr(runs, "FULL_VOLUME", 0.05)
    monkeypatch.setattr(runs, "CUTS", [0.5])
    monkeypatch.chdir(tmp_path)
    return ["--folder", "out", "--jobs", "1", "--scale", "1/8", "--seeds", "1", "--workloads", "NTRX", "Varmail"]


CHOSEN = ("Parity of parityFTL", "Window of Fig. 8(c)", "LSB pages in a row")


@pytest.mark.more
def test_the_command_writes_report_tables_and_pictures(tiny, capsys):
    assert command.main(tiny) == 0
    folder = Path("out")
    text = (folder / "report.md").read_text()
    titles = ("Fig. 8(a)", "Fig. 8(b)", "Fig. 8(c)", "LSB pages in a row", "Varmail at the paper's size", "All claims")
    for title in (*titles, "Quota q", "Backup pages", "What the paper leaves open", "Power loss", "Where our numbers"):
        assert f"## {title}" in text
    assert all(f"### {name}\n" in text for name in CHOSEN)
    figures = {"fig8a", "fig8b", "fig8c"}
    assert {path.stem for path in folder.glob("*.png")} == {*figures, "quota"}
    tables = {*figures, "quota", "backups", "power_loss", "evidence", "full_size"}
    assert {path.stem for path in folder.glob("*.csv")} == tables
    with (folder / "power_loss.csv").open() as file:
        lost = {row["system"]: 0 for row in csv.DictReader(file) if row["of them in flash"] == "0"}
    assert {*lost} >= {name for name in SYSTEMS if name != BASE}
    assert capsys.readouterr().out == "out/report.md\n"


def test_one_claim_is_run_alone(tiny):
    assert command.main([*tiny, "--only", "fig8a.ntrx"]) == 0
    assert {path.name for path in Path("out/runs/seed 1").iterdir()} == {"NTRX, pageFTL", "NTRX, flexFTL"}


@pytest.mark.parametrize(
    ("given", "told"),
    [(["--workloads", "varmai"], "did you mean 'Varmail'"), (["--scale", "1/32"], "at least 1/16")],
)
def test_what_cannot_be_used_is_told_in_one_sentence(given, told, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert command.main(given) == 2
    assert told in capsys.readouterr().err.splitlines()[-1]


def test_whole_traces_cannot_take_the_place_of_these_workloads(capsys):
    with pytest.raises(SystemExit):
        command.main(["--traces", "."])
    assert "--traces" in capsys.readouterr().err
