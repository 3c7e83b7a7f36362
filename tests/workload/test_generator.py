"""Requests that a class of the user's own makes, named by its dotted path."""

import sys

import attrs
import pytest

from ssdsim import ConfigError, GeneratorConfig, load_config, preset, simulate
from ssdsim.command.compose import composed
from ssdsim.errors import PolicyError

SOURCE = """
import numpy as np
from ssdsim.workload import Chunk, Generator


class Log(Generator):
    def __init__(self, count=20, what=""):
        self.requests, self.what = count, what

    def chunks(self):
        times = np.arange(self.requests) * 1000
        if self.what == "raises":
            raise KeyError("of the user's own making")
        for first in range(0, self.requests, 5):
            rows = slice(first, first + 5)
            at = times[rows]
            offsets = np.arange(first, first + len(at)) * 4096
            yield Chunk(at, np.ones(len(at), np.uint8), offsets, offsets * 0 + 4096)

    def describe(self):
        return {"seed": self.seed} if self.what != "undescribed" else None


class Forgetful(Generator):
    def chunk(self):
        return []


class NoGenerator:
    pass
"""
SMALL = {"hardware.blocks_per_plane": 64, "hardware.pages_per_block": 24, "precondition": "none"}


@pytest.fixture(autouse=True)
def own_generators(tmp_path, monkeypatch):
    (tmp_path / "own_generators.py").write_text(SOURCE)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.chdir(tmp_path)
    yield
    sys.modules.pop("own_generators", None)


def made(name="Log", **options):
    return attrs.evolve(preset(**SMALL), workload=GeneratorConfig(generator=f"own_generators.{name}", options=options))


def test_the_command_line_names_the_class_and_its_options():
    words = ["workload=generator", "workload.generator=own_generators.Log", "workload.options={count: 3}"]
    assert composed(words).workload == GeneratorConfig(generator="own_generators.Log", options={"count": 3})
    streams = ["+workload@workloads.b=generator", "workloads.b.generator=own_generators.Log"]
    assert composed(streams).workloads["b"].generator == "own_generators.Log"


def test_its_requests_are_served_and_its_run_comes_again(tmp_path):
    result = simulate(made(count=13), tmp_path / "run")
    assert result.summary["requests"]["write"]["count"] == 13
    told = {"kind": "generator", "generator": "own_generators.Log", "options": {"count": 13}, "seed": 1}
    assert result.summary["workload"] == told
    assert load_config(tmp_path / "run") == made(count=13)


WRONG = {
    "raises": ({"what": "raises"}, PolicyError, r"\.Log: Log\.chunks raised KeyError: .*, line \d+"),
    "count": ({"count": "x"}, ConfigError, r"Log: requests=x: must be None, or a whole number"),
    "options": ({"cuont": 3}, ConfigError, r"its options .* do not fit: .* \(it takes count=20, what=''\)"),
    "undescribed": ({"what": "undescribed"}, PolicyError, r"Log\.describe in .* returned None, and owes a dictionary"),
}


@pytest.mark.parametrize(("options", "kind", "message"), WRONG.values(), ids=WRONG)
def test_what_it_does_wrong_is_told_with_class_and_method(options, kind, message):
    with pytest.raises(kind, match=message):
        simulate(made(**options))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Forgetful", r"lacks a method that it owes: chunks\(\)\."),
        ("NoGenerator", r"is not a subclass of ssdsim\.policies\.Generator"),
        ("Nowhere", r"cannot be imported"),
    ],
)
def test_a_class_is_checked_before_the_run(name, message):
    with pytest.raises(ConfigError, match=rf"^workload\.generator=own_generators\.{name}: .*{message}"):
        composed(["workload=generator", f"workload.generator=own_generators.{name}"])


def test_a_name_that_is_no_path_is_told():
    with pytest.raises(ConfigError, match=r"^workload\.generator=Log: must be the dotted path of a class"):
        GeneratorConfig(generator="Log")
