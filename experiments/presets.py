"""The files that an experiment is composed of, each read once: a study composes hundreds, of some twenty files each."""

from copy import copy, deepcopy
from pathlib import Path
from typing import Any, ClassVar

from hydra._internal.config_repository import ConfigRepository
from hydra.core.object_type import ObjectType
from hydra.plugins.config_source import ConfigResult


class KeptFiles(ConfigRepository):
    """Hydra's repository, which keeps what it has read for as long as the file is not changed."""

    kept: ClassVar[dict[tuple[str, str, int], ConfigResult | None]] = {}

    def __deepcopy__(self, memo: dict[int, Any]) -> "KeptFiles":
        """Return one for a composition, which may give it other sources but does not change those that there are."""
        return copy(self)

    def load_config(self, config_path: str) -> ConfigResult | None:
        """Return a copy of what stands in a file, as a composition changes it."""
        source = self._find_object_source(config_path, ObjectType.CONFIG)
        if source is None or source.scheme() == "structured":
            return super().load_config(config_path)
        changed_ns = 0
        if source.scheme() == "file":
            changed_ns = Path(source.path, source._normalize_file_name(config_path)).stat().st_mtime_ns
        key = (source.full_path(), config_path, changed_ns)
        if key not in self.kept:
            self.kept[key] = super().load_config(config_path)
        return deepcopy(self.kept[key])
