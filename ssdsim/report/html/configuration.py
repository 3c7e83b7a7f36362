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


def table(configs: Sequence[SimulationConfig], default: SimulationConfig) -> Table:
    """Return the whole configuration; where that of several runs is not the same, all values are told."""
    given, usual = [flat(config) for config in configs], flat(default)
    meanings = {key.name: key.meaning for key in keys()}
    rows: list[list[str | Cell]] = []
    changed = 0
    # in the order of the first that has a key
    for key in dict.fromkeys(key for config in (*given, usual) for key in config):
        values, before = [config.get(key, ABSENT) for config in given], usual.get(key, ABSENT)  # ABSENT, as None is one
        differs = any(value != before for value in values)
        changed += differs
        words = list(dict.fromkeys(map(shown, values)))
        mark, told = ("differs", "changed") if differs else ("", "")
        if len(words) > 1:
            mark, told = "swept", "differs between runs"
        # keys of any stream have the meaning of the main one's
        meaning = meanings.get(re.sub(r"^workloads\.[^.]+", "workload", key), "")
        rows.append([Cell(key, meaning, mark), Cell(" | ".join(words), mark=mark), shown(before), told])
    told = f"{changed} differ" if changed > 1 else "1 differs" if changed else "none differs"
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
