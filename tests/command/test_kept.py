"""Compositions that are kept: found while words, presets and code are the same, and checked as if composed anew."""

import os
import pickle
import re
import shutil
import subprocess
import sys
from pathlib import Path

import attrs
import pytest
from hydra.core.config_store import ConfigStore

from ssdsim.command import kept, presets
from ssdsim.command.compose import prepared, session
from ssdsim.command.kept import Command, find, keep
from ssdsim.errors import ConfigError
from ssdsim.metrics.summary import provenance

SMALL = ["hardware.blocks_per_plane=64", "hardware.pages_per_block=24", "workload=synthetic", "workload.requests=60"]


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """Give the folder of what is kept, and an empty one to work in."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    presets._composed.cache_clear()
    return tmp_path / "cache" / "ssdsim" / "compositions"


def command(words, **how):
    with session():
        return Command(list(words), prepared(list(words)), **how)


def entry(cache):
    (file,) = cache.iterdir()
    return file


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["workload=exchange", "hydra.run.dir=there"],
        ["stack=flex_ftl", "hardware=flexftl_small", "workload=ntrx"],
        ["+workload@workloads.b=synthetic", "workloads.b.queue_depth=2", "record=[requests]", "check=off"],
        ["stack=pa_ssd", "+ftl.page_type_options={queue_depth: {threshold: 10}}", "ftl.page_type=[queue_depth]"],
        ["stack=pcftl", "ftl.extra_block_share=0.05"],
    ],
    ids=" ".join,
)
def test_what_is_found_is_what_was_composed(words):
    wanted = command(words, overwrite=True, plot=False)
    assert find(words) is None
    keep(words, wanted)
    found = find(words)
    assert found == wanted
    assert attrs.asdict(found.point.config) == attrs.asdict(wanted.point.config)
    assert provenance(found.point.config) == provenance(wanted.point.config)


def test_other_words_are_not_found():
    keep(SMALL, command(SMALL))
    assert find(SMALL) is not None
    assert find([*SMALL, "seed=2"]) is find(SMALL[:-1]) is find(SMALL[::-1]) is None


@pytest.mark.parametrize(
    "changed", ["conf/workload/exchange.yaml", "ssdsim/command/presets.py", "ssdsim/config/ftl.py"]
)
def test_presets_and_code_that_have_changed_compose_anew(changed, tmp_path, monkeypatch):
    for folder in ("conf", "ssdsim/command", "ssdsim/config"):
        shutil.copytree(kept.PROJECT / folder, tmp_path / folder)
    monkeypatch.setattr(kept, "PROJECT", tmp_path)
    monkeypatch.setattr(kept, "__file__", str(tmp_path / "ssdsim/command/kept.py"))
    keep(SMALL, command(SMALL))
    assert find(SMALL) is not None
    file = tmp_path / changed
    before = file.stat()
    content = file.read_bytes()
    file.write_bytes(content[:-2] + b"#\n")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))  # it is the content that counts
    assert find(SMALL) is None
    file.write_bytes(content)
    assert find(SMALL) is not None
    file.write_bytes(content + b"# ${oc.env:HOME}\n")
    keep(SMALL, command(SMALL))
    assert find(SMALL) is None


@pytest.mark.parametrize(
    "words",
    [
        ["hydra.run.dir=${oc.env:HOME}"],
        ["seed=${hydra.job.num}"],
        ["hydra.searchpath=[file:///tmp]"],
        ["+hydra.searchpath=[file:///tmp]"],
        ["hydra/launcher=basic"],
    ],
    ids=" ".join,
)
def test_what_reads_more_than_presets_is_not_kept(words, cache):
    keep(words, command([]))
    assert not cache.exists()


def test_a_class_of_ones_own_is_not_kept_and_not_taken(cache):
    asked = command(SMALL)
    own = attrs.evolve(asked.point.composed, ftl=attrs.evolve(asked.point.composed.ftl, page_order="mine.Order"))
    keep(SMALL, attrs.evolve(asked, point=attrs.evolve(asked.point, composed=own)))
    assert not cache.exists()
    keep(SMALL, asked)
    assert find(SMALL) is not None
    text = entry(cache).read_text()
    entry(cache).write_text(text.replace(asked.point.composed.ftl.page_order, "mine.Order"))
    assert find(SMALL) is None


@pytest.mark.parametrize("place", range(6))
def test_a_damaged_entry_is_as_good_as_none(place, cache):
    keep(SMALL, command(SMALL))
    text = entry(cache).read_text()
    damaged = [
        "",
        text[:-20],
        "[1]",
        text.replace("'seed': 1", "'seed': -1"),
        text.replace("'seed': 1", "'seed': __import__('os').getpid()"),
        text.replace("'seed': 1", "'sead': 1"),
    ]
    assert damaged[place] != text
    entry(cache).write_text(damaged[place])
    assert find(SMALL) is None
    keep(SMALL, command(SMALL))
    assert entry(cache).read_text() == text


def test_a_trace_is_looked_for_each_time():
    words = ["workload.path=mine.csv.xz"]
    shutil.copy(kept.PROJECT / "traces" / "sqlite_wal.csv.xz", "mine.csv.xz")
    keep(words, command(words))
    assert find(words).point.config.workload.path == "mine.csv.xz"
    Path("mine.csv.xz").unlink()
    assert find(words) is None


def test_entries_take_the_places_of_others(cache, monkeypatch):
    monkeypatch.setattr(kept, "PLACES", 2)
    asked = command(SMALL)
    lines = [[*SMALL, f"hydra.run.dir={name}"] for name in "abcdefgh"]
    for words in lines:
        keep(words, asked)
        assert find(words) is not None
    assert sum(find(words) is not None for words in lines) == len(list(cache.iterdir())) <= 2


@pytest.mark.parametrize("home", ["/dev/null", "file"])
def test_where_nothing_can_be_written_nothing_is_kept(home, monkeypatch):
    Path("file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", home)
    keep(SMALL, command(SMALL))
    assert find(SMALL) is None


@pytest.mark.parametrize("words", [SMALL, ["workload=synthetic", "workload.rate_iops=5", "stack=pa_ssd"]], ids=" ".join)
def test_presets_that_were_composed_before_are_not_composed_again(words, monkeypatch, tmp_path):
    """Not by a later process either, which has another folder to work in."""
    wanted = command(words)
    presets._composed.cache_clear()
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    monkeypatch.setattr(presets.hydra, "compose", lambda *_, **__: pytest.fail("was composed again"))
    assert command(words) == wanted
    assert command([*words, "seed=7"]).point.config == attrs.evolve(wanted.point.config, seed=7)
    assert str(command(["hydra.run.dir=${hydra.runtime.cwd}/run", *words]).point.folder) == str(Path.cwd() / "run")


class Runs:
    def __reduce__(self):
        return os.mkdir, ("ran",)


@pytest.mark.parametrize("damaged", [b"", b"no pickle", pickle.dumps(Runs()), pickle.dumps(Path)])
def test_an_entry_of_presets_that_is_no_composition_is_as_good_as_none(damaged, cache):
    wanted = command(SMALL)
    (file,) = (cache.parent / "presets").iterdir()
    content = file.read_bytes()
    file.write_bytes(content.partition(b"\n")[0] + b"\n" + damaged)
    presets._composed.cache_clear()
    assert command(SMALL) == wanted
    assert not Path("ran").exists()
    assert file.stat().st_size == len(content)


@pytest.mark.parametrize("wrong", ["hardware.read_u=5", "workload.queue_depth=many"])
def test_what_is_wrong_is_told_alike_of_presets_that_were_composed_before(wrong):
    words = ["workload=synthetic", wrong]
    with pytest.raises(ConfigError) as told:
        command(words)
    presets._composed.cache_clear()
    ConfigStore.instance().repo.pop("_experiment.yaml")
    with pytest.raises(ConfigError, match=re.escape(str(told.value))):
        command(words)


def test_a_later_process_goes_on_with_presets_that_an_earlier_one_composed(cache):
    command = [sys.executable, "-m", "ssdsim.command", *SMALL, "hydra.run.dir=there"]
    for requests in (20, 30):
        words = [*command, f"workload.requests={requests}", "overwrite=true"]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert not done.returncode, done.stderr
    assert len([*(cache.parent / "presets").iterdir()]) == 1
