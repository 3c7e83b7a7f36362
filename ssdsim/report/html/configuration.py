"""The configuration of runs as a table in which what is not the default is marked."""

import re
from collections.abc import Sequence
from typing import Any

from ssdsim.config import SimulationConfig
from ssdsim.config.keys import keys
from ssdsim.report.comparison import flat
from ssdsim.report.html.page import Cell, Table

ABSENT = object()
"""The value of a key that a configuration does not have."""


def changes(config: dict[str, Any], default: dict[str, Any]) -> dict[str, Any]:
    """Return the keys whose values are not those of the default, with their values; what only that has is `ABSENT`."""
    every = {**config, **default}
    # ABSENT, as None is a value
    return {key: value for key in every if (value := config.get(key, ABSENT)) != default.get(key, ABSENT)}


def table(configs: Sequence[SimulationConfig], default: SimulationConfig) -> Table:
    """Return the whole configuration; where that of several runs is not the same, all values are told."""
    given, usual = [flat(config) for config in configs], flat(default)
    changed = set().union(*(changes(config, usual) for config in given))
    meanings = {key.name: key.meaning for key in keys()}
    rows: list[list[str | Cell]] = []
    # in the order of the first that has a key
    for key in dict.fromkeys(key for config in (*given, usual) for key in config):
        values = list(dict.fromkeys(shown(config.get(key, ABSENT)) for config in given))
        differs = key in changed
        mark = "swept" if len(values) > 1 else "differs" if differs else ""
        told = {"swept": "differs between runs", "differs": "changed", "": ""}[mark]
        rows.append(
            [
                # keys of any stream have the meaning of the main one's
                Cell(key, meanings.get(re.sub(r"^workloads\.[^.]+", "workload", key), ""), mark),
                Cell(" | ".join(values), mark=mark),
                shown(usual.get(key, ABSENT)),
                told,
            ]
        )
    told = f"{len(changed)} differ" if len(changed) > 1 else "1 differs" if changed else "none differs"
    caption = f"The whole configuration; of its {len(rows)} keys {told} from a run without any override"
    return Table(caption, ["key", "value", "default", ""], rows, only_marked="only what is not the default")


def shown(value: Any) -> str:
    """Return a value as YAML has it, "-" for one that is not there."""
    if value is ABSENT:
        return "-"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, list):
        return f"[{', '.join(map(shown, value))}]"
    return str(value)
