"""Groups of presets, by the files of `conf/`."""

from functools import cache

from . import PROJECT

CONF = PROJECT / "conf"


def groups() -> list[str]:
    """Return the names of all groups, such as `ftl/gc`, without Hydra's own."""
    return sorted(_presets())


def choices(group: str) -> list[str]:
    """Return the presets of `group`; names that begin with an underscore are building blocks, not choices."""
    return _presets().get(group, [])


@cache
def _presets() -> dict[str, list[str]]:
    presets: dict[str, list[str]] = {}
    for file in sorted(CONF.glob("*/**/[!_]*.yaml")):
        presets.setdefault(file.parent.relative_to(CONF).as_posix(), []).append(file.stem)
    return presets
