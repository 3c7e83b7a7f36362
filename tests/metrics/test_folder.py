"""The folder of a run: who may write there, what is replaced and when, and what is left by a crash at any moment."""

import json
import os
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest

from ssdsim.errors import InputError
from ssdsim.metrics.folder import MANIFEST, ResultFolder, manifest

OLD = {"summary.json": "old summary", "latency.parquet": "old latency", "requests.parquet": "old requests"}
NEW = {"config.yaml": "new config", "summary.json": "new summary", "latency.parquet": "new latency"}


def put(folder, files):
    for name, text in files.items():
        folder.part(name).write_text(text)


def written(path, files, **options):
    with ResultFolder(path, **options) as folder:
        put(folder, files)
        folder.commit()


def held(path):
    """Return the files of a folder, by name, but for the manifest."""
    return {each.name: each.read_text() for each in path.iterdir() if each.is_file() and each.name != MANIFEST}


def test_files_get_their_names_together(tmp_path):
    with ResultFolder(tmp_path / "run") as folder:
        put(folder, OLD)
        assert all(name.startswith(".ssdsim-") for name in held(folder.path))
        folder.commit()
        folder.part("overview.png").write_text("a picture")
        assert "overview.png" not in held(folder.path)
        folder.add("overview.png")
    assert held(tmp_path / "run") == OLD | {"overview.png": "a picture"}
    listed = json.loads((tmp_path / "run" / MANIFEST).read_text())["files"]
    assert set(listed) == {*OLD, "overview.png"}


def test_without_a_commit_nothing_is_left(tmp_path):
    with ResultFolder(tmp_path / "run") as folder:
        put(folder, OLD)
    assert list(tmp_path.iterdir()) == []
    with ResultFolder(tmp_path) as folder:
        put(folder, OLD)
    assert list(tmp_path.iterdir()) == []


def test_a_second_writer_is_refused_while_there_is_a_first(tmp_path):
    for _ in range(2):
        with ResultFolder(tmp_path) as first:
            for overwrite in (False, True):
                with pytest.raises(InputError, match="another run is writing there"):
                    ResultFolder(tmp_path, overwrite)
            put(first, OLD)


def test_parts_that_a_dead_process_has_left_hold_nobody_up(tmp_path):
    (tmp_path / ".ssdsim-part-requests.parquet").write_text("PAR1, and no end")
    written(tmp_path, OLD)
    assert held(tmp_path) == OLD


@pytest.mark.parametrize("name", ["summary.json", "mine.parquet", "days/run1/summary.json"])
@pytest.mark.parametrize(
    "claim", [None, "{", "[]", '{"files": {}}', '{"written_by": "others", "kind": "run", "files": {}}']
)
def test_a_folder_that_is_not_empty_is_written_into_only_if_that_is_asked_for(tmp_path, name, claim):
    """What is not of an earlier run stays, but a file whose name a new one takes."""
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text("of others")
    if claim is not None:
        (tmp_path / MANIFEST).write_text(claim)
    with pytest.raises(InputError, match=r"is not empty \(.*choose another folder, or add overwrite=true\.$"):
        ResultFolder(tmp_path)
    assert (tmp_path / name).read_text() == "of others"
    written(tmp_path, NEW, overwrite=True, kind="sweep")
    assert (tmp_path / name).read_text() == NEW.get(name, "of others") and manifest(tmp_path)["kind"] == "sweep"


def test_a_manifest_that_points_out_of_the_folder_is_none_of_ours(tmp_path):
    for name, is_ours in (("../x", False), ("/x", False), ("below/x", False), ("summary.json", True)):
        described = {"written_by": "ssdsim", "kind": "run", "files": {name: 1}}
        (tmp_path / MANIFEST).write_text(json.dumps(described))
        assert manifest(tmp_path) == (described if is_ours else None)


def test_a_status_can_be_left_beside_the_results_of_before(tmp_path):
    written(tmp_path, OLD)
    with ResultFolder(tmp_path, overwrite=True) as folder:
        put(folder, {"requests.parquet": "PAR1, and no end", "status.json": "failed"})
        folder.part("commands.parquet")
        folder.add("status.json")
        assert not folder.written
    assert held(tmp_path) == OLD | {"status.json": "failed"}
    written(tmp_path, NEW, overwrite=True)
    assert held(tmp_path) == NEW


def test_files_of_others_among_ours_stay(tmp_path):
    written(tmp_path, OLD)
    others = {"notes.txt": "mine", "mine.parquet": "mine", ".hidden": "mine"}
    for name, text in others.items():
        (tmp_path / name).write_text(text)
    written(tmp_path / "run1", OLD)
    written(tmp_path, NEW, overwrite=True)
    assert held(tmp_path) == NEW | others
    assert held(tmp_path / "run1") == OLD
    with ResultFolder(tmp_path, overwrite=True) as folder:
        folder.remove()
    assert held(tmp_path) == others


class Crash(BaseException):
    """The process dies here."""


@contextmanager
def dying_at(number):
    """Within it the process dies after `number` of the calls that change the folder, where `kill -9` might find it."""
    left = iter(range(number))

    def dying(call):
        def called(*arguments, **options):
            if next(left, None) is None:
                raise Crash
            return call(*arguments, **options)

        return called

    with pytest.MonkeyPatch.context() as patch:
        for owner, name in ((Path, "replace"), (Path, "unlink")):
            patch.setattr(owner, name, dying(getattr(owner, name)))
        yield


def test_a_crash_at_any_moment_of_a_commit_leaves_the_old_results_the_new_or_none(tmp_path):
    for at in count():
        path = tmp_path / str(at)
        written(path, OLD)
        folder = ResultFolder(path, overwrite=True)
        put(folder, NEW)
        try:
            with dying_at(at):
                folder.commit()
            break
        except Crash:
            os.close(folder._lock)  # as the end of its process does
        kept = {name: text for name, text in held(path).items() if not name.startswith(".ssdsim-")}
        if "summary.json" in kept:
            assert kept in (OLD, NEW), "a summary beside tables of another run, or without its own"
        written(path, NEW, overwrite=True)
        assert held(path) == NEW
    folder.close()
    assert held(path) == NEW
    assert at > len(OLD) + len(NEW)
