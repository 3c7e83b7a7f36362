"""Fields of `summary.json` that have another name now; the old one is still answered in this version."""

import warnings
from typing import Any

RENAMED = {
    "plane_utilization": "planes_at_work",
    "sdwpp": "page_writes_per_plane_std",
    "wall_s": "simulator.wall_s",
    "transactions_per_s": "simulator.transactions_per_s",
    "peak_rss_mib": "simulator.peak_rss_mib",
}
"""The new name of each field that has been renamed since schema 2, by the old one."""


class Summary(dict[str, Any]):
    """The contents of `summary.json`; an old name gives the field of the new one, and a `DeprecationWarning`."""

    def __missing__(self, key: str) -> Any:
        if key not in RENAMED:
            raise KeyError(key)
        warnings.warn(f"{key} is called {RENAMED[key]} now (schema 3).", DeprecationWarning, stacklevel=2)
        value: Any = self
        for part in RENAMED[key].split("."):
            value = value[part]
        return value


def of_schema_2(summary: dict[str, Any]) -> dict[str, Any]:
    """Return a summary of schema 2 with the names of schema 3; fields that came later it does not have."""
    new = {key: value for key, value in summary.items() if key not in RENAMED}
    for old, name in RENAMED.items():
        if old in summary:
            section, _, last = name.rpartition(".")
            (new.setdefault(section, {}) if section else new)[last] = summary[old]
    return new
