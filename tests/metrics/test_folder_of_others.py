"""What is not a run's own stays as it is: files, folders and links in its folder, and all that links lead to."""

import json
import os
import shutil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ssdsim.errors import InputError
from ssdsim.metrics.folder import LOCK, MANIFEST, NAMES, PART, ResultFolder

OURS = {"summary.json": "of the run", "planes.parquet": "planes of the run"}
KINDS = ("file", "folder", "link", "link to a folder", "link to nothing", "link to the same")
PLACES = st.sampled_from(
    [*NAMES[:4], "summary.json", MANIFEST, LOCK, f"{PART}summary.json", f"{PART}x", "thesis.txt", "0"]
)


def put(path, kind, outside):
    """Put something that no run has written at `path`."""
    if os.path.lexists(path):
        path.unlink()
    if kind == "file":
        path.write_text("of others")
    elif kind == "folder":
        path.mkdir()
        (path / "summary.json").write_text("of others")
    else:
        same = OURS.get(path.name, "of others")
        (outside / "same").write_text(same)
        leads = {"link": "data", "link to a folder": "", "link to nothing": "none", "link to the same": "same"}
        path.symlink_to(outside / leads[kind])


def seen(folder):
    """Return all that is in `folder` and below, by its place, links as links."""
    return {
        str(path.relative_to(folder)): path.readlink() if path.is_symlink() else path.is_dir() or path.read_text()
        for path in sorted(folder.rglob("*"))
    }


def is_temporary(name):
    return name.startswith(".ssdsim-") and "/" not in name


@settings(max_examples=settings.default.max_examples // 2)
@given(st.dictionaries(PLACES, st.sampled_from(KINDS), max_size=4), st.booleans())
def test_an_overwriting_run_leaves_what_is_not_its_own(tmp_path_factory, others, stops):
    top = tmp_path_factory.getbasetemp() / "overwritten"
    shutil.rmtree(top, ignore_errors=True)
    run, outside = top / "run", top / "outside"
    outside.mkdir(parents=True)
    (outside / "data").write_text("precious")
    with ResultFolder(run) as folder:
        for name, text in OURS.items():
            folder.part(name).write_text(text)
        folder.commit()
    for name, kind in others.items():
        put(run / name, kind, outside)
    beside, before = seen(outside), seen(run)
    foreign = {name: what for name, what in before.items() if name.partition("/")[0] in others}
    try:
        with ResultFolder(run, overwrite=True) as folder:
            folder.part("summary.json").write_text("of the next run")
            if not stops:
                folder.commit()
    except InputError as refusal:
        assert seen(run).items() >= {name: what for name, what in before.items() if not is_temporary(name)}.items()
        assert str(refusal).endswith(".")
    after = seen(run)
    assert seen(outside) == beside
    assert {name: after.get(name) for name in foreign if not is_temporary(name)} == {
        name: what for name, what in foreign.items() if not is_temporary(name)
    }


@pytest.mark.parametrize("name", ["thesis.txt", "..", "", "a/b", "/etc/passwd"])
@pytest.mark.parametrize("where", ["files", "stale"])
def test_a_manifest_that_names_what_no_run_writes_is_none_of_ours(tmp_path, name, where):
    (tmp_path / "thesis.txt").write_text("of others")
    listed = {"written_by": "ssdsim", "kind": "run", "files": {}} | {where: {name: {}} if where == "files" else [name]}
    (tmp_path / MANIFEST).write_text(json.dumps(listed))
    with pytest.raises(InputError, match=r"is not empty \(manifest.json, thesis.txt\), and no manifest.json says"):
        ResultFolder(tmp_path, overwrite=True)
    assert (tmp_path / "thesis.txt").read_text() == "of others"


def test_a_lock_that_is_a_link_is_not_followed(tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / LOCK).symlink_to(tmp_path / "made")
    with pytest.raises(InputError, match="results cannot be written there"):
        ResultFolder(tmp_path / "run")
    assert not (tmp_path / "made").exists()
