"""Presets of buses are sums of ONFI's cycles, and presets of chips those of what their papers say: all in ns."""

from importlib.resources import files
from pathlib import Path

import pytest
import yaml

HARDWARE = Path(str(files("conf"))) / "hardware"
ADL, WB, RR = 400, 100, 20
CYCLES = {"sdr": (15, 20), "nv_ddr": (15, 45), "nv_ddr2": (20, 25), "nv_ddr3": (20, 25), "nv_lpddr4": (20, 25)}
"""By bus: tCS, and from cycle to cycle."""


def presets(group):
    """Return what each preset of `group` sets, but the one that sets nothing."""
    found = {file.stem: yaml.safe_load(file.read_text(encoding="utf-8")) for file in (HARDWARE / group).glob("*.yaml")}
    assert found.pop("own") is None
    return found


@pytest.mark.parametrize(("bus", "keys"), presets("bus").items())
def test_commands_of_a_bus_are_sums_of_its_cycles(bus, keys):
    kind, rate = bus.rsplit("_", 1)
    select, cycle = CYCLES[kind]
    ns = {
        "read_command_us": select + (1 + 5 + 1) * cycle + WB,
        "program_command_us": select + (1 + 5 + 1) * cycle + ADL + WB,
        "erase_command_us": select + (1 + 3 + 1) * cycle + WB,
        "copyback_command_us": select + 2 * (1 + 5 + 1) * cycle + 2 * WB,
        "ready_busy_us": RR,
    }
    assert {key: round(keys[key] * 1000) for key in ns} == ns
    assert keys["bus_ns_per_byte"] == pytest.approx(1000 / int(rate), abs=1e-4)
    assert keys.keys() == {*ns, "bus_ns_per_byte"}


@pytest.mark.parametrize(
    ("chip", "mb_s"),
    [
        ("kioxia_96l_2018", 57),
        ("samsung_v6_2019", 82),
        ("kioxia_128l_2019", 132),
        ("samsung_v7_2021", 184),
        ("sk_hynix_176l_2021", 168),
        ("kioxia_170l_2021", 160),
    ],
)
def test_planes_of_a_chip_program_as_much_as_its_paper_says(chip, mb_s):
    keys = presets("chips")[chip]
    together = keys["planes_per_die"] * keys["page_kib"] * 1024
    assert together / keys["program_us"][0] == pytest.approx(mb_s, rel=1e-3)


def test_the_page_shows_the_figures_of_the_files():
    page = (Path(str(files("docs"))) / "pages" / "model" / "timing.md").read_text(encoding="utf-8")
    chips = presets("chips")
    rows = [
        line.split(" | ")
        for line in page.splitlines()
        if line.startswith("| `") and line.strip("| `").split("`")[0] in chips
    ]
    assert len(rows) == len(chips)
    for name, bits, planes, read, program, rate in rows:
        keys = chips[name.strip("| `").split("`")[0]]
        assert (int(bits), int(planes.split(",")[0])) == (keys["bits_per_cell"], keys["planes_per_die"])
        assert ([float(read)], [float(program.split(",")[0])]) == (keys["read_us"], keys["program_us"])
        assert (rate.strip(" |") == "") == ("bus_ns_per_byte" not in keys)
        assert rate.strip(" |") == "" or 1 / keys["bus_ns_per_byte"] == pytest.approx(float(rate.strip(" |")), rel=1e-3)
