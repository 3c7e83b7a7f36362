"""Try what a file may hold: `python tests/fuzz.py [--seconds N]`.

It needs the extra `fuzz` (atheris), which is led by what code a file reaches: it begins with the cases of
`support/fuzzed_readers.py`, and goes on from what was found last time in `build/fuzz/readers`. What ends
as nothing may is put into `build/fuzz/found`, a file a kind, with what was told beside it; the exit status is then 1.
"""

import argparse
import hashlib
import os
import re
import resource
import subprocess
import sys
import tempfile
import traceback
from importlib.util import find_spec
from pathlib import Path

PROJECT = Path(__file__).parent.parent
BUILD = PROJECT / "build" / "fuzz"
CORPUS, FOUND = BUILD / "readers", BUILD / "found"
MOST_SECONDS, MOST_MIB, MOST_BYTES = 10, 256, 4096
"""What one input may take, how much the memory of the process may grow by it, and how long it may be."""

WHOLE_MIB = 4096
"""Memory of the process: some of each run stays with the fuzzer."""


def main() -> int:
    """Fuzz the readers in a process of their own; print what was found."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=int, default=60, help="how long (60)")
    arguments = parser.parse_args()
    if find_spec("atheris") is None:
        sys.exit("needs atheris; pip install -e '.[fuzz]'.")
    fuzz(arguments.seconds)
    found = sorted(FOUND.glob("*.txt"))
    for path in found:
        print(f"{path.with_suffix('')}: {path.read_text().strip().splitlines()[-1]}")
    return 1 if found else 0


def fuzz(seconds: int) -> None:
    """Fuzz in a process of its own, and print what it did."""
    for folder in (CORPUS, FOUND):
        folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, __file__, "--child", str(CORPUS), f"-max_total_time={seconds}"]
    limits = [f"-timeout={MOST_SECONDS}", f"-rss_limit_mb={WHOLE_MIB}", f"-max_len={MOST_BYTES}"]
    options = [f"-artifact_prefix={FOUND}/", "-print_final_stats=1", f"-dict={words()}"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(PROJECT), str(PROJECT / "tests")])}
    done = subprocess.run([*command, *limits, *options], env=environment, stderr=subprocess.PIPE, check=False)
    told = done.stderr.decode(errors="replace")
    runs = re.search(r"number_of_executed_units: (\d+)", told)
    reached = re.findall(r"cov: (\d+) ft: (\d+)", told)
    print(f"{runs[1] if runs else '?'} executions, {len(list(CORPUS.iterdir()))} inputs kept", end="")
    print(f", coverage {reached[0][0]} -> {reached[-1][0]}" if reached else "", end="")
    print(f", exit status {done.returncode}", flush=True)
    if done.returncode:
        (FOUND / "ended.txt").write_text(told[-4000:])


def words() -> Path:
    """Write the dictionary in the way of libFuzzer."""
    sys.path.insert(0, str(PROJECT))
    from support.fuzzed_readers import dictionary

    path = BUILD / "readers.dict"
    lines = ('"' + "".join(f"\\x{byte:02x}" for byte in word) + '"' for word in dictionary())
    path.write_text("\n".join(lines) + "\n")
    return path


def child(arguments: list[str]) -> None:
    """Fuzz in this process, which ends with it."""
    import atheris

    sys.path.insert(0, str(PROJECT))
    with atheris.instrument_imports(include=["ssdsim"]):
        from support.fuzzed_readers import cases, read
    for case in cases():
        (CORPUS / hashlib.sha1(case).hexdigest()).write_bytes(case)
    folder = Path(tempfile.mkdtemp(dir="/dev/shm" if Path("/dev/shm").is_dir() else None))
    seen: set[str] = set()

    def one(case: bytes) -> None:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        try:
            read(case, folder / "input")
            grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) >> 10
            assert grown < MOST_MIB, f"took {grown} MiB"
        except Exception as error:
            frames = traceback.extract_tb(error.__traceback__)
            last = next((each for each in reversed(frames) if "/ssdsim/" in each.filename), frames[-1])
            text = re.sub(r"[\d']+.*", "", str(error))[:60]
            kind = hashlib.sha1(f"{type(error)}{last.filename}{last.lineno}{text}".encode()).hexdigest()[:12]
            if kind not in seen:
                seen.add(kind)
                (FOUND / kind).write_bytes(case)
                (FOUND / f"{kind}.txt").write_text("".join(traceback.format_exception(error)))

    atheris.Setup([sys.argv[0], *arguments], one)
    atheris.Fuzz()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(sys.argv[2:])
    sys.exit(main())
