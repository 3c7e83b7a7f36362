"""Break the source on purpose, one line at a time, and say which breakages the tests find.

    python tests/mutations.py
    python tests/mutations.py --only collector
    python tests/mutations.py --list

The list is `tests/support/mutations/*.yaml`: by file, the tests that are to find its breakages, and of each breakage
its name, a text that stands in the file once, what takes its place and, if no test finds it, why. Each is put into a
copy of the project in which only `ssdsim/_core` is compiled, so that all else runs interpreted; a module of `_core` is
built again, without optimisation. A breakage is found if a test fails, or does not end within its CPU time.

The exit status is 1 where one is not found and the list does not say why, or is found and the list says that none is,
and 2 where the list does not fit the source.
"""

import argparse
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from compileall import compile_dir
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from py_compile import PycInvalidationMode
from queue import SimpleQueue

import attrs
import yaml

PROJECT = Path(__file__).parents[1]
LISTS = PROJECT / "tests" / "support" / "mutations"
PARTS = ("ssdsim", "experiments", "conf", "docs", "tests", "traces")
FILES = ("setup.py", "pyproject.toml", "README.md", "LICENSE")
FAR = ("tests/test_properties.py", "tests/check/test_oracle.py")
"""What a breakage that its own tests pass over is tried on."""

CPU_S = 1200
MEMORY = 4 << 30
"""What a run of tests may use: a breakage may loop for ever, and fill memory meanwhile."""


@attrs.frozen
class Mutation:
    """What takes the place of `text` in `file`, the tests that are to find it, and why they do not, if they do not."""

    file: str
    name: str
    text: str
    instead: str
    tests: tuple[str, ...]
    survives: str = ""

    @property
    def is_compiled(self) -> bool:
        """Whether it takes a compiler."""
        return "/_core/" in self.file

    def apply(self, folder: Path) -> str:
        """Change the file in `folder`, and return what it was before."""
        file = folder / self.file
        before = file.read_text(encoding="utf-8")
        file.write_text(before.replace(self.text, self.instead), encoding="utf-8")
        return before


@attrs.frozen
class Verdict:
    """The test that found a mutation, "" if none did, and the seconds that it took."""

    mutation: Mutation
    found_by: str
    took_s: float

    @property
    def is_as_listed(self) -> bool:
        """Whether it was found, or the list says why not."""
        return bool(self.found_by) != bool(self.mutation.survives)

    def line(self) -> str:
        """Return what there is to say."""
        name = f"{self.mutation.file}: {self.mutation.name}"
        why = self.mutation.survives
        if self.found_by:
            return f"found    {self.took_s:4.0f} s  {name}, by {self.found_by}" + (
                ", though listed as not" if why else ""
            )
        return f"survived {self.took_s:4.0f} s  {name}" + (f": {why}" if why else "")


def mutations() -> Iterator[Mutation]:
    """Yield all that are listed."""
    for listed in sorted(LISTS.glob("*.yaml")):
        for file, entry in yaml.safe_load(listed.read_text(encoding="utf-8")).items():
            for name, (text, instead, *why) in entry["mutations"].items():
                yield Mutation(file, name, text, instead, tuple(entry["tests"]), *why)


def stale(listed: Iterable[Mutation]) -> list[str]:
    """Return a sentence for each mutation that does not fit the project."""
    told = []
    for each in listed:
        file = PROJECT / each.file
        times = file.read_text(encoding="utf-8").count(each.text) if file.exists() else 0
        if times != 1:
            told.append(f"{each.file}: {each.name}: its text stands there {times} times, not once: {each.text!r}.")
        if each.instead == each.text:
            told.append(f"{each.file}: {each.name}: changes nothing.")
        lacking = [test for test in each.tests if not (PROJECT / test).exists()]
        told += [f"{each.file}: {each.name}: {test} does not exist." for test in lacking]
    return told


def not_copied(folder: str, names: list[str]) -> list[str]:
    """Return which of `names` in a folder are not copied: extension modules but those of `_core`, and what was made."""
    kept = Path(folder).name == "_core"
    return [
        each for each in names if each in ("__pycache__", "results") or (each.endswith((".so", ".pxd")) and not kept)
    ]


def copy(folder: Path) -> None:
    """Copy the project to `folder`; without their `.pxd` modules outside of `_core` cannot be compiled.

    Byte code goes by the hash of its source, not by a time that two versions of a file may share.
    """
    for part in PARTS:
        shutil.copytree(PROJECT / part, folder / part, ignore=not_copied)
    for file in FILES:
        shutil.copy(PROJECT / file, folder)
    compile_dir(folder / "ssdsim", quiet=1, invalidation_mode=PycInvalidationMode.CHECKED_HASH)


def limit() -> None:
    """Bound CPU time and memory of this process."""
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def run(arguments: list[str], folder: Path, **environment: str) -> tuple[int, str]:
    """Run Python in `folder`; return its exit status and what it printed."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(folder), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        preexec_fn=limit,
    )
    return done.returncode, done.stdout


def build(folder: Path) -> None:
    """Build `_core` in `folder`."""
    status, told = run(["setup.py", "-q", "build_ext", "--inplace"], folder, SSDSIM_QUICK_BUILD="1")
    if status:
        print(told)
        sys.exit("The build failed.")


def failures(tests: Iterable[str], folder: Path, *options: str) -> list[str]:
    """Return the tests that fail; all that is known may be that they do not end."""
    arguments = ["-m", "pytest", "-qq", "-n", "0", "-rfE", "--tb=no", "-p", "no:cacheprovider", *options, *tests]
    status, told = run(arguments, folder, SSDSIM_INTERPRETED="1", HYPOTHESIS_PROFILE="mutations")
    found = re.findall(r"^(?:FAILED|ERROR) (\S+)", told, re.MULTILINE)
    if status < 0:
        return [*found, f"signal {-status}: the tests do not end, or crash"]
    if status and not found:
        print(told)
        sys.exit(f"pytest ended with exit status {status} and named no test.")
    return found


def verdict(mutation: Mutation, folder: Path, left_out: Iterable[str] = ()) -> Verdict:
    """Apply a mutation in `folder`, run its tests and then the others, and undo it."""
    began = time.monotonic()
    options = ["-x", *(f"--deselect={test}" for test in left_out)]
    before = mutation.apply(folder)
    if mutation.is_compiled:
        build(folder)
    found_by = failures(mutation.tests, folder, *options) or failures(FAR, folder, *options) or [""]
    (folder / mutation.file).write_text(before, encoding="utf-8")
    return Verdict(mutation, found_by[0], time.monotonic() - began)


def hunt(chosen: list[Mutation], jobs: int) -> Iterator[Verdict]:
    """Yield what becomes of each mutation, each of `jobs` in a copy of its own."""
    with tempfile.TemporaryDirectory(prefix="ssdsim-mutations-") as place:
        first = Path(place) / "0"
        copy(first)
        if any(each.is_compiled for each in chosen):
            build(first)
        tests = dict.fromkeys([*(test for each in chosen for test in each.tests), *FAR])
        left_out = failures(tests, first)
        if unusable := [each for each in left_out if "::" not in each]:
            sys.exit(f"Without any mutation: {', '.join(unusable)}: such files hide what the others find.")
        for test in left_out:
            print(f"{test}: left out, as it fails interpreted and without any mutation.")
        folders: SimpleQueue[Path] = SimpleQueue()
        folders.put(first)
        for number in range(1, jobs):
            folders.put(Path(shutil.copytree(first, Path(place) / str(number))))

        def judge(mutation: Mutation) -> Verdict:
            folder = folders.get()
            try:
                return verdict(mutation, folder, left_out)
            finally:
                folders.put(folder)

        compiled_last = sorted(chosen, key=lambda each: each.is_compiled)  # only the next build mends what one broke
        with ThreadPoolExecutor(jobs) as pool:
            yield from pool.map(judge, compiled_last)


def main() -> int:
    """Choose, hunt and report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="PATTERN", help="those whose file or name has this in it")
    parser.add_argument("--list", action="store_true", help="list them, and end")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="how many at a time; default: the cores")
    asked = parser.parse_args()
    chosen = [each for each in mutations() if asked.only in f"{each.file}: {each.name}"]
    if told := stale(chosen):
        print(*told, sep="\n")
        return 2
    if asked.list or not chosen:
        print(*(f"{each.file}: {each.name}" for each in chosen), f"{len(chosen)} mutations.", sep="\n")
        return 0
    began = time.monotonic()
    verdicts = []
    for each in hunt(chosen, min(asked.jobs, len(chosen))):
        print(each.line(), flush=True)
        verdicts.append(each)
    found = sum(bool(each.found_by) for each in verdicts)
    unexplained = sum(not each.is_as_listed for each in verdicts)
    print(
        f"{found} of {len(verdicts)} found, {len(verdicts) - found} survived, {unexplained} not as listed "
        f"({(time.monotonic() - began) / 60:.0f} min)."
    )
    return 1 if unexplained else 0


if __name__ == "__main__":
    raise SystemExit(main())
