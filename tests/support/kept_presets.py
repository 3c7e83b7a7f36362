"""Hydra's compositions of the presets of `conf/`, kept: a test that sets keys does not wait until YAML is merged again.

Hydra reads files, chooses presets, merges them and then sets keys. All but the last depends on nothing but the presets
chosen and takes nine tenths of the time; what came of it is used again. Keys are set by Hydra itself, every time.
"""

from copy import copy
from functools import wraps
from pickle import dumps, loads
from types import SimpleNamespace

from hydra._internal import config_loader_impl as loader
from hydra._internal.defaults_list import Overrides

from ssdsim.command.compose import CONF

lists, configs, files = {}, {}, {}


def is_kept(repository):
    """Return whether what is composed is of our presets alone, and of no folder of a test's own."""
    return all(source.scheme() != "file" or source.path == str(CONF) for source in repository.get_sources())


class Repository(loader.CachingConfigRepository):
    """Hydra's, without the deep copy of all schemas for the sake of its list of sources, which is made anew anyhow."""

    def __init__(self, delegate):
        self.delegate, self.cache = copy(delegate), {}

    def load_config(self, config_path):
        cached = f"config_path={config_path}"
        if cached not in self.cache and is_kept(self):
            file = CONF / f"{config_path}.yaml"
            key = (config_path, file.is_file() and file.stat().st_mtime_ns)
            if key not in files:
                files[key] = dumps(self.delegate.load_config(config_path))
            self.cache[cached] = loads(files[key])
        return super().load_config(config_path)


def keep_presets():
    """Have Hydra compose each choice of presets once in this process."""
    choose, merge = loader.create_defaults_list, loader.ConfigLoaderImpl._compose_config_from_defaults_list

    @wraps(choose)
    def chosen(repo, config_name, overrides_list, prepend_hydra, skip_missing):
        if not is_kept(repo):
            return choose(repo, config_name, overrides_list, prepend_hydra, skip_missing)
        values = Overrides(repo=repo, overrides_list=overrides_list).config_overrides
        words = tuple(word.input_line for word in overrides_list if word not in values)
        key = (config_name, words, prepend_hydra, skip_missing)
        if key not in lists:
            lists[key] = choose(repo, config_name, overrides_list, prepend_hydra, skip_missing)
        return SimpleNamespace(defaults=lists[key].defaults, overrides=lists[key].overrides, config_overrides=values)

    @wraps(merge)
    def merged(self, defaults, repo):
        if not is_kept(repo):
            return merge(self, defaults, repo)
        key = (*map(repr, defaults),)
        if key not in configs:
            configs[key] = dumps(merge(self, defaults, repo))
        return loads(configs[key])

    loader.CachingConfigRepository, loader.create_defaults_list = Repository, chosen
    loader.ConfigLoaderImpl._compose_config_from_defaults_list = merged
