"""The folder that results go to: one writer at a time, each file whole or not there, nothing of others replaced."""

import fcntl
import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from ssdsim.errors import FolderInUseError, InputError, SsdsimError, shown

MANIFEST = "manifest.json"
TABLES = (
    *("timeseries", "timeseries_by_stream", "timeseries_by_channel"),
    *("latency", "planes", "requests", "commands", "load"),
)
NAMES = (
    *("config.yaml", *(f"{table}.parquet" for table in TABLES), "overview.png", "status.json", "summary.json"),
    *("sweep.parquet", "pareto.png", "pareto.svg"),
    *(f"comparison.{suffix}" for suffix in ("csv", "parquet", "md", "tex", "png")),
)
"""The files of a run, in the order in which they get their names: the summary says that the others are there. Then
those of a sweep, and of a comparison."""

TEMPORARY = ".ssdsim-"
"""What the names of the lock and of unfinished files begin with; they mean nothing once their process is gone."""
LOCK = f"{TEMPORARY}lock"
PART = f"{TEMPORARY}part-"


class ResultFolder:
    """The folder `path`, made if need be, and locked against other writers until it is closed.

    Files are written under temporary names (`part`) and get their own, together, when all are whole (`commit`). The
    manifest, `manifest.json`, lists them with size and SHA-256: these are ours. With `overwrite` those of an earlier
    run make room at the commit, and not before it. Nothing else in the folder is ever touched, and no folder below it.
    `written` says whether there has been a commit.

    Raise `FolderInUseError` if another process writes there, and `InputError` if the folder holds something but no
    manifest; if it holds results, and no `overwrite` is asked for or they are of another `kind` ("run", "sweep" or
    "comparison"); and if a file in the way is not as the manifest has it. Where the file system knows no locks (some
    network ones) there is none.
    """

    def __init__(self, path: str | Path, overwrite: bool = False, kind: str = "run"):
        self.path = Path(path)
        self.kind = kind
        self.written = False
        self.parts: set[str] = set()
        self._made = not self.path.exists()
        try:
            self._refuse_foreign()  # before a folder is made, so that a refusal leaves nothing behind
            self.path.mkdir(parents=True, exist_ok=True)
            self._lock = self._locked()
        except OSError as error:
            reason = error.strerror or error
            raise InputError(f"{path}: results cannot be written there: {reason}; choose another folder.") from None
        try:
            # Once more, as somebody else may have written there before we had the lock.
            self._refuse_foreign()
            earlier = manifest(self.path)
            self.manifest = earlier or {"written_by": "ssdsim", "kind": kind, "files": {}}
            # A commit that its process did not live to finish is finished here: the manifest has named its files.
            self._finish_commit([name for name in self.manifest["files"] if self._is_ours(name, self._part(name))])
            for part in self.path.glob(f"{PART}*"):
                if part.is_symlink() or not part.is_dir():
                    part.unlink()
            if earlier is not None:
                self._refuse_earlier(overwrite)
        except BaseException:
            self.close()
            raise

    # Whose folder it is.

    def _refuse_foreign(self) -> None:
        if not self.path.is_dir() or manifest(self.path) is not None:
            return
        # a lock or a part is of a run that is gone, or refuses us by itself
        held = sorted(entry.name for entry in self.path.iterdir() if not entry.name.startswith(TEMPORARY))
        if held:
            shown = ", ".join(held[:3]) + ", ..." * (len(held) > 3)
            raise InputError(
                f"{self.path}: is not empty ({shown}), and no {MANIFEST} says that a run has written that; "
                "choose a new or an empty folder."
            )

    def _refuse_earlier(self, overwrite: bool) -> None:
        kind = self.manifest["kind"]
        if kind != self.kind or not overwrite:
            remedy = " or add overwrite=true" * (kind == self.kind)
            raise InputError(f"{self.path}: holds the results of an earlier {kind}; choose another folder{remedy}.")
        for name in {*self.manifest["files"], *NAMES}:
            path = self.path / name
            if os.path.lexists(path) and not self._is_ours(name, path):
                raise InputError(
                    f"{path}: is not what the earlier run has written; move it away or choose another folder."
                )

    def _locked(self) -> int:
        """Return the descriptor that holds the lock, which ends with this process if not before."""
        path = self.path / LOCK
        while True:
            # no link: it could lead to a file of others
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)  # without waiting: the other run may take hours
            except BlockingIOError:
                os.close(descriptor)
                raise FolderInUseError(
                    f"{self.path}: another run is writing there; wait until it has ended or choose another folder."
                ) from None
            except OSError:
                return descriptor  # the file system has no locks
            # The lock is on a file, and the name may have gone to another one meanwhile: then it locks nobody out.
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(descriptor), path.stat()):
                    return descriptor
            os.close(descriptor)  # its holder has removed it on leaving

    # Writing.

    def part(self, name: str) -> Path:
        """Return where to write file `name` until it is committed or added."""
        assert name in NAMES, name
        self.parts.add(name)
        return self._part(name)

    def drop_parts(self) -> None:
        """Remove the uncommitted parts, and free their room at once, even of those that are open."""
        for name in self.parts:
            with suppress(FileNotFoundError):
                os.truncate(self._part(name), 0)  # a writer may hold it open, so that to unlink it would free nothing
                self._part(name).unlink()
        self.parts.clear()

    def commit(self) -> None:
        """Give all that has been written its names, in the place of an earlier run's files."""
        self._commit(self.parts, {})
        self.written = True

    def add(self, name: str) -> None:
        """Give file `name` its name, beside those that are there."""
        self._commit({name}, self.manifest["files"])

    def _commit(self, names: set[str], kept: dict[str, Any]) -> None:
        # the order of `NAMES`: the summary gets its name last
        new = {name: _entry(self._part(name)) for name in NAMES if name in names}
        # of the earlier run, and of no new file's name
        stale = sorted(self.manifest["files"].keys() - kept.keys() - new.keys())
        self.manifest |= {"files": kept | new} | ({"stale": stale} if stale else {})
        # From here on the manifest names files that lie under their temporary names: see `_finish_commit`.
        self._record()
        self.parts -= new.keys()  # from here on whoever opens the folder next would finish this
        self._finish_commit(new)

    def remove(self) -> None:
        """Remove the files of the manifest, and it."""
        for name in (*self.manifest["files"], MANIFEST):
            (self.path / name).unlink(missing_ok=True)
        self._made = True

    def note(self, **facts: Any) -> None:
        """Have the manifest say something else, too."""
        self.manifest |= facts
        self._record()

    def _record(self) -> None:
        part = self._part(MANIFEST)
        with part.open("w", encoding="utf-8") as file:
            file.write(json.dumps(self.manifest, indent=2) + "\n")
            file.flush()
            os.fsync(file.fileno())  # the manifest is in storage before any file gets its name
        part.replace(self.path / MANIFEST)  # in one step: a reader finds the old one or the new one
        folder = os.open(self.path, os.O_RDONLY)  # so that the name, too, outlasts a loss of power
        with suppress(OSError):  # not every file system can
            os.fsync(folder)
        os.close(folder)

    def _finish_commit(self, whole: Iterable[str]) -> None:
        """Remove the files that a commit replaces, and give the files that are `whole` their names.

        In this order there is no summary beside tables of another run at any time.
        """
        stale = self.manifest.pop("stale", [])
        for name in (*stale, *whole):  # all stale ones first
            (self.path / name).unlink(missing_ok=True)
        for name in whole:
            self._part(name).replace(self.path / name)
        if stale:  # the manifest lists them no longer
            self._record()

    def _part(self, name: str) -> Path:
        return self.path / (PART + name)

    def _is_ours(self, name: str, path: Path) -> bool:
        """Return whether there is a file at `path`, no link to one, and it is file `name` as the manifest has it."""
        return path.is_file() and not path.is_symlink() and bool(self.manifest["files"].get(name) == _entry(path))

    # Leaving.

    def close(self) -> None:
        """Remove the files not committed, and the folder if it was made for nothing; give up the lock."""
        for name in self.parts:
            self._part(name).unlink(missing_ok=True)
        (self.path / LOCK).unlink(missing_ok=True)  # before the lock is given up: who waits makes a file of its own
        os.close(self._lock)
        if self._made:
            with suppress(OSError):
                self.path.rmdir()  # it may hold something by now

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if isinstance(error, OSError) and error.filename is None:
            error.filename = str(self.path)  # a full disk is told by a write, which knows no name
        self.close()


def in_use(folder: Path) -> bool:
    """Return whether a process, this one included, writes into `folder` at the moment."""
    try:
        descriptor = os.open(folder / LOCK, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False  # the file system has no locks
    finally:
        os.close(descriptor)
    return False


def is_whole(folder: Path) -> bool:
    """Return whether all files that the manifest of `folder` lists are there in their sizes."""
    described = manifest(folder)
    files = {} if described is None else described["files"]
    with suppress(OSError):
        # sizes alone, as checksums would take reading all of it
        return bool(files) and all((folder / name).stat().st_size == file["bytes"] for name, file in files.items())
    return False


@contextmanager
def damage_told(folder: Path) -> Iterator[None]:
    """Within it, an error that comes of files of `folder` that are not as runs have written them is an `InputError`.

    One that does not is passed on: it is a bug.
    """
    try:
        yield
    except (SsdsimError, MemoryError):
        raise
    except Exception as error:
        changed = [str(path.relative_to(folder)) for path in islice(_changed(folder), 3)]  # three are enough to name
        if not changed:
            raise
        named = f"{', '.join(changed)} {'are' if len(changed) > 1 else 'is'}"
        what = shown(" ".join(f"{type(error).__name__}: {error}".split()), 120)
        raise InputError(f"{folder}: {named} not as written by its run, and of no use ({what}); run again.") from error


def _changed(folder: Path) -> Iterator[Path]:
    """Yield the files of runs in `folder` and below that are not as a manifest has them."""
    for place in sorted({folder, *(file.parent for file in folder.glob("**/summary.json"))}):
        described = manifest(place)
        if described is None and (place / "summary.json").exists():
            yield place / MANIFEST
        for name, entry in ({} if described is None else described["files"]).items():
            if not (place / name).is_file() or _entry(place / name) != entry:
                yield place / name


def manifest(folder: Path) -> dict[str, Any] | None:
    """Return the manifest of `folder`, or None if there is none of ours."""
    try:
        content = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        names = [*content["files"].keys(), *content.get("stale", ())]
        ours = content["written_by"] == "ssdsim" and isinstance(content["kind"], str)
        # any other name may have been written by anybody
        return content if ours and all(name in NAMES for name in names) else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _entry(path: Path) -> dict[str, Any]:
    """Return the manifest's entry on a file, which is in storage then."""
    with path.open("rb") as file:
        os.fsync(file.fileno())  # the manifest is not to name what a loss of power could take
        return {"bytes": os.fstat(file.fileno()).st_size, "sha256": hashlib.file_digest(file, "sha256").hexdigest()}
