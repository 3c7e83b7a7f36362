"""What a wheel and an sdist take along, and that the experiments work as a part of `ssdsim`, as a wheel has them.

`python tests/wheel.py` builds both and runs what is installed.
"""

import ast
import re
import runpy
from fnmatch import fnmatch
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[1]
SOURCES = sorted((PROJECT / "experiments").rglob("*.py"))
FOLDERS = ("experiments", "conf", "traces")


@pytest.fixture(scope="module")
def described():
    """The project as setup.py and pyproject.toml describe it."""
    pytest.importorskip("setuptools")
    from setuptools.dist import Distribution

    given = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(PROJECT)
        patch.setattr("setuptools.setup", given.update)
        runpy.run_path("setup.py")
        project = Distribution({**given, "script_name": "setup.py"})
        project.parse_config_files()
    return project


@pytest.fixture(scope="module")
def installed(described):
    """The files of a wheel, but for compiled modules, by their place in site-packages."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(PROJECT)
        build = described.get_command_obj("build_py")
        build.ensure_finalized()
        files = build.get_outputs(include_bytecode=False)
    return {Path(file).relative_to(build.build_lib).as_posix() for file in files}


def test_beside_ssdsim_a_wheel_has_two_names_of_one_file(installed):
    beside = {"experiment/__main__.py", "experiments/__main__.py"}
    assert {file for file in installed if not file.startswith("ssdsim/")} == beside
    assert not [file for file in installed if file.endswith((".c", ".so")) or "/validation/" in file]


@pytest.mark.parametrize(
    ("folder", "pattern"),
    [
        *(("ssdsim", f"*.{kind}") for kind in ("py", "pyx", "pxd", "tsv", "typed")),
        ("experiments/papers", "*.py"),
        ("experiments/papers", "*.tsv"),
        ("experiments/study", "*.py"),
        ("conf", "*.yaml"),
        ("traces", "*.csv.xz"),
    ],
)
def test_a_wheel_has_the_whole_of_each_folder(installed, folder, pattern):
    own = {
        file.relative_to(PROJECT).as_posix() for file in (PROJECT / folder).rglob(pattern) if "beside" not in file.parts
    }
    assert own
    assert {file if file.startswith("ssdsim/") else f"ssdsim/{file}" for file in own} <= installed


def test_a_package_index_shows_no_dead_link(described):
    """What the README links to is not there; it is named instead, and is where that says."""
    shown, readme = described.metadata.long_description, (PROJECT / "README.md").read_text(encoding="utf-8")
    assert described.metadata.long_description_content_type == "text/markdown"
    links = re.findall(r"(?<=\]\()[^)]+", readme)
    assert len(links) > 20 and re.findall(r"(?<=\]\()(?!https:)[^)]+", shown) == []
    named = re.findall(r"\(`([^`]*)` in the source distribution\)", shown)
    assert named == [link for link in links if not link.startswith("https:")]
    assert [path for path in named if not (PROJECT / path).is_file()] == []


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(PROJECT).as_posix())
def test_experiments_do_not_name_themselves(path):
    """They are `experiments` in a clone and `ssdsim.experiments` in a wheel, so imports within are relative."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            assert not [each.name for each in node.names if each.name.partition(".")[0] in FOLDERS]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            assert node.module.partition(".")[0] not in FOLDERS
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            assert not fnmatch(node.value, "experiments.[a-z]*") or " " in node.value
