"""One list of names: what it says is what is validated, suggested, shown by `--help` and built."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import ssdsim
from ssdsim import ConfigError, policies
from ssdsim.assembly.parts import BASES, CLASSES
from ssdsim.assembly.rules import value_of
from ssdsim.config import SimulationConfig
from ssdsim.config.registry import AXES
from ssdsim.ftl.mapping.page import PageMapping

LISTS = ("ftl.page_type",)
"""Axes of which a list is given."""


def changes(key, value):
    """Return nested keywords that set a dotted key."""
    for name in reversed(key.split(".")):
        value = {name: value}
    return value


def given(key, name):
    return changes(key, [name] if key in LISTS else name)


@pytest.mark.parametrize("key", AXES)
def test_every_name_is_accepted_by_its_key_and_stands_for_a_class_of_its_kind(tiny, key):
    for name, cls in CLASSES[key].items():
        assert issubclass(cls, (PageMapping, *BASES[key]) if key == "ftl.mapping.scheme" else BASES[key])
        tiny(given(key, name))
    assert set(AXES[key].named) - set(CLASSES[key]) <= {"none", "never", "fast"}
    default = value_of(SimulationConfig(), key)
    assert default == [] if key in LISTS else default in AXES[key].named


def test_all_that_policies_of_ones_own_import_is_in_one_place():
    bases = {BASES[key][0] for key in AXES if AXES[key].own}
    assert bases <= {getattr(policies, name) for name in policies.__all__}
    project = Path(__file__).parents[2]
    pages = project.glob("docs/pages/**/*.md")
    assert [path.name for path in pages if "from ssdsim._" in path.read_text(encoding="utf-8")] == []


@pytest.mark.parametrize("key", [key for key in AXES if key not in LISTS])
@pytest.mark.parametrize("value", [["fcfs"], {}, None, 3], ids=str)
def test_what_is_no_word_is_refused_in_a_sentence(tiny, key, value):
    with pytest.raises(ConfigError, match=re.escape(f"{key}={value}: must be one of ")):
        tiny(changes(key, value))


@pytest.mark.parametrize("key", AXES)
def test_a_path_is_accepted_where_classes_of_ones_own_are(tiny, key):
    if AXES[key].own:
        assert value_of(tiny(given(key, "mine.Own")), key) in ("mine.Own", ["mine.Own"])
        assert getattr(BASES[key][0], "owed", ()) or key == "buffer.replacement"
    else:
        with pytest.raises(ConfigError, match="must be one of"):
            tiny(given(key, "mine.Own"))


@pytest.mark.parametrize(
    ("ftl", "message"),
    [
        ({"page_type": "uniform"}, r"ftl\.page_type=uniform: must be a list of page-type schemes"),
        ({"page_type_options": {"queue_dept": {}}}, r"ftl\.page_type_options=queue_dept: .*did you mean 'queue_depth'"),
    ],
)
def test_schemes_are_checked_wherever_they_are_named(tiny, ftl, message):
    with pytest.raises(ConfigError, match=message):
        tiny({"ftl": ftl})


def test_configuration_and_names_import_no_policy():
    """Nor do they import numpy or pyarrow, which takes most of the time of a start."""
    folder = str(Path(ssdsim.__file__).parent)
    code = (
        "import sys, types\n"
        "sys.modules['ssdsim'] = types.ModuleType('ssdsim')\n"
        f"sys.modules['ssdsim'].__path__ = [{folder!r}]\n"
        "import ssdsim.config\n"
        "print(*sorted(name for name in sys.modules if name.startswith(('ssdsim.', 'numpy', 'pyarrow'))))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    beyond = {name for name in done.stdout.split() if not name.startswith("ssdsim.config")}
    assert beyond == {"ssdsim.errors", "ssdsim._core", "ssdsim._core.codes", "ssdsim._core.utility"}
