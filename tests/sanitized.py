"""Run a sample of the random devices, and the fullest ones, on modules with bounds checks and the address sanitizer.

`python tests/sanitized.py` copies the project, which has been built, to a temporary folder, builds those modules there
that hold columns, and prints one line if all is well. Without gcc or its sanitizer it says so and does nothing.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROJECT = Path(__file__).parent.parent
PARTS = (
    "ssdsim",
    "experiments",
    "conf",
    "docs",
    "tests",
    "traces",
    "setup.py",
    "pyproject.toml",
    "README.md",
    "LICENSE",
)
NOT_COPIED = shutil.ignore_patterns("__pycache__")
SAMPLE = ("tests/test_properties.py", "tests/test_widths.py", "tests/test_mixes.py")
CHOSEN = "not most"  # the largest blocks take long to set up

CHECK = "import ssdsim._core.blocks, ssdsim.ftl.layer as l; print(l.__file__)"


def sanitizer() -> str | None:
    """Return the path of gcc's address sanitizer, or None."""
    if not shutil.which("gcc"):
        return None
    asked = subprocess.run(["gcc", "-print-file-name=libasan.so"], capture_output=True, text=True, check=False)
    path = Path(asked.stdout.strip())
    return str(path) if path.is_absolute() and path.exists() else None


def run(what: str, arguments: list[str], folder: Path, **environment: str) -> str:
    """Run Python in `folder` and return what it printed; if it fails, print that and end."""
    inherited = {key: value for key, value in os.environ.items() if key != "SSDSIM_INTERPRETED"}
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=inherited | {"PYTHONPATH": str(folder), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        print(done.stdout)
        sys.exit(f"{what} failed with bounds checks and the address sanitizer (exit status {done.returncode}).")
    return done.stdout


def main() -> None:
    """Build and run the sample."""
    library = sanitizer()
    if library is None:
        print("Bounds checks and address sanitizer: left out, as gcc or its libasan is not here.")
        return
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="ssdsim-sanitized-") as place:
        folder = Path(place)
        for source in map(PROJECT.joinpath, PARTS):
            if source.is_file():
                shutil.copy(source, folder)
            else:
                shutil.copytree(source, folder / source.name, ignore=NOT_COPIED)
        run("the build", ["setup.py", "-q", "build_ext", "--inplace"], folder, SSDSIM_SANITIZE="1")
        built = time.monotonic()
        checked = {
            "LD_PRELOAD": library,
            "ASAN_OPTIONS": "detect_leaks=0",
            "PYTHONMALLOC": "malloc",  # so that the sanitizer sees every object
        }
        module = run("the import", ["-c", CHECK], folder, **checked).strip()
        if not module.startswith(str(folder)) or module.endswith(".py"):
            sys.exit(f"the sample would run on {module}, which is not what was built.")
        tests = ["-m", "pytest", "-qq", "-x", "-p", "no:cacheprovider", *SAMPLE, "-k", CHOSEN]
        run("the sample", tests, folder, **checked)
    print(
        f"Bounds checks and address sanitizer: the sample of random devices and the fullest ones ran clean "
        f"({built - began:.0f} s to build, {time.monotonic() - built:.0f} s to run)."
    )


if __name__ == "__main__":
    main()
