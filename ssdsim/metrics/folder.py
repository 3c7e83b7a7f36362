"""The folder that results go to: one writer at a time, each file whole or not there."""

import fcntl
import json
import os
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from ssdsim.errors import InputError

MANIFEST = "manifest.json"

PART = ".ssdsim-part-"
"""The prefix of unfinished files, which mean nothing once their process is gone."""


class ResultFolder:
    """The folder `path`, made if need be, and locked against other writers until it is closed.

    Files are written under temporary names (`part`) and get their own, together, when all are whole (`commit`), the
    summary last. The manifest, `manifest.json`, lists them. With `overwrite` those of an earlier run make room at the
    commit, and not before it; whatever else is in the folder stays. `kind` is "run", "sweep" or "comparison".

    Raise `InputError` if another process writes there, or if the folder is not empty and no `overwrite` is asked for.
    """

    def __init__(self, path: str | Path, overwrite: bool = False, kind: str = "run"):
        self.path = Path(path)
        self.written = False  # by a commit
        self.parts: set[str] = set()
        self._made = not self.path.exists()
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY)
        except OSError as error:
            reason = error.strerror or error
            raise InputError(f"{path}: results cannot be written there: {reason}; choose another folder.") from None
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # no waiting, as another run may take hours
        except BlockingIOError:
            raise self._refused("another run is writing there; wait until it has ended or choose another.") from None
        except OSError:
            pass  # the file system has no locks
        for part in self.path.glob(f"{PART}*"):
            part.unlink()  # of a process that is gone
        held = sorted(entry.name for entry in self.path.iterdir())
        if held and not overwrite:
            named = ", ".join(held[:3]) + ", ..." * (len(held) > 3)
            raise self._refused(f"is not empty ({named}); choose another folder, or add overwrite=true.")
        self.manifest = (manifest(self.path) or {"written_by": "ssdsim", "files": []}) | {"kind": kind}

    def _refused(self, why: str) -> InputError:
        """Give up the folder, and return the error that says why."""
        self.close()
        return InputError(f"{self.path}: {why}")

    def part(self, name: str) -> Path:
        """Return where to write file `name` until it is committed or added."""
        self.parts.add(name)
        return self.path / (PART + name)

    def commit(self) -> None:
        """Rename all files that have been written to their own names, in the place of an earlier run's files."""
        self._rename(self.parts, kept=[])
        self.written = True

    def add(self, name: str) -> None:
        """Rename one file that has been written to `name`, and keep the others."""
        self._rename({name}, kept=[other for other in self.manifest["files"] if other != name])

    def _rename(self, parts: Collection[str], kept: Collection[str]) -> None:
        """Rename files to their own names, and remove those of the manifest that are not `kept`."""
        new = sorted(parts, key=lambda name: (name == "summary.json", name))  # the summary says that all are there
        # The old ones go first, so that there is no summary beside tables of another run at any time.
        for name in (*reversed(self.manifest["files"]), *reversed(new)):
            if name not in kept:
                (self.path / name).unlink(missing_ok=True)
        for name in new:
            self.part(name).replace(self.path / name)
        self.parts.difference_update(new)
        self.note(files=[*kept, *new])

    def remove(self) -> None:
        """Remove the files of the manifest, and it."""
        for name in (*self.manifest["files"], MANIFEST):
            (self.path / name).unlink(missing_ok=True)
        self._made = True

    def note(self, **facts: Any) -> None:
        """Add `facts` to the manifest, in one step: a reader finds the old one or the new one."""
        self.manifest |= facts
        part = self.path / (PART + MANIFEST)
        part.write_text(json.dumps(self.manifest, indent=2) + "\n", encoding="utf-8")
        part.replace(self.path / MANIFEST)

    def close(self) -> None:
        """Remove the files not committed, and the folder if it was made for nothing; give up the lock."""
        for name in self.parts:
            (self.path / (PART + name)).unlink(missing_ok=True)
        os.close(self._lock)
        if self._made:
            with suppress(OSError):
                self.path.rmdir()  # it may hold something by now

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        if isinstance(error, OSError) and error.filename is None:
            error.filename = str(self.path)  # a full disk is told by a write, which knows no name
        self.close()


def manifest(folder: Path) -> dict[str, Any] | None:
    """Return the manifest of `folder`, or None if there is none of ours."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        content: dict[str, Any] = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        is_ours = content["written_by"] == "ssdsim" and isinstance(content["kind"], str)
        # anybody may have written it: it names files of this folder alone
        return content if is_ours and all(Path(name).name == name for name in content["files"]) else None
    return None
