"""What `setup.py` builds, and that it builds nothing twice, on a package of two modules."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SETUP = Path(__file__).parents[1] / "setup.py"
ONE = "def area(long[:] sides):\n    return sides[0] * sides[1]\n"
PROGRAM = """
from array import array
from ssdsim._core import one, other

print(one.area(array("l", [3, 5])), other.area(array("l", [3, 5])))
"""


@pytest.fixture
def project(tmp_path):
    pytest.importorskip("setuptools")
    if not shutil.which("cc"):
        pytest.skip("there is no C compiler")
    for file in (SETUP, SETUP.with_name("README.md")):
        shutil.copy(file, tmp_path)
    for folder in ("ssdsim", "ssdsim/_core"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "__init__.py").touch()
    for name in ("cold.h", "declarations.py", "homes.py", "joining.py"):
        shutil.copy(SETUP.parent / "ssdsim/_core" / name, tmp_path / "ssdsim/_core")
    (tmp_path / "ssdsim/_core/one.pyx").write_text(ONE)
    (tmp_path / "ssdsim/_core/other.pyx").write_text(ONE)
    return tmp_path


def build(project, number):
    """Build in place as pip does, in a new folder each time; return when each object and module was made."""
    elsewhere = ["--build-lib", f"lib{number}", "--build-temp", f"temp{number}"]
    subprocess.run(
        [sys.executable, "setup.py", "-q", "build_ext", "--inplace", *elsewhere],
        cwd=project,
        env=os.environ | {"SSDSIM_QUICK_BUILD": "1", "PYTHONPATH": ""},
        check=True,
        capture_output=True,
    )
    return {
        path.relative_to(project).as_posix(): path.stat().st_mtime_ns
        for path in project.glob("build/**/*.*")
        if path.suffix in (".c", ".o", ".so")
    }


@pytest.mark.more
def test_only_what_changed_is_built_again(project):
    first = build(project, 1)
    assert sum(path.endswith(".so") for path in first) == 3  # with what the two share
    assert build(project, 2) == first
    (project / "ssdsim/_core/one.pyx").write_text(ONE.replace("*", "+"))
    later = build(project, 3)
    assert {Path(path).name.partition(".")[0] for path in first if later[path] != first[path]} == {"one"}
    done = subprocess.run([sys.executable, "-c", PROGRAM], cwd=project, check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["8", "15"]
    assert not list((project / "ssdsim").rglob("*.c"))
