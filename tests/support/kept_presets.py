"""Hydra's compositions of the presets of `conf/`, kept: a test that sets keys does not wait until YAML is merged again.

Hydra chooses presets, merges them and then sets keys. The first two depend on nothing but the presets chosen and take
nine tenths of the time; of both, what came of them is used again. The keys are set by Hydra itself, every time.
"""

from copy import copy
from functools import wraps
from pickle import dumps, loads
from types import SimpleNamespace

from hydra._internal import config_loader_impl as loader
from hydra._internal.defaults_list import Overrides

from ssdsim.command.compose import CONF, _changes


def _searched(repo):
    """Return what the presets there are depend on; None where a test searches a folder of its own."""
    sources = [(source.scheme(), source.path) for source in repo.get_sources()]
    of_ours = [path for scheme, path in sources if scheme == "file" and path != str(CONF)]
    return None if of_ours else (*sources, _changes())


class Repository(loader.CachingConfigRepository):
    """Hydra's, without the deep copy of all schemas for the sake of its list of sources, which is made anew anyhow."""

    def __init__(self, delegate):
        self.delegate, self.cache = copy(delegate), {}


def keep_presets():
    """Have Hydra compose each choice of presets once in this process."""
    lists, configs = {}, {}
    choose, merge = loader.create_defaults_list, loader.ConfigLoaderImpl._compose_config_from_defaults_list

    @wraps(choose)
    def chosen(repo, config_name, overrides_list, prepend_hydra, skip_missing):
        values = Overrides(repo=repo, overrides_list=overrides_list).config_overrides
        words = tuple(word.input_line for word in overrides_list if word not in values)
        key = (config_name, words, prepend_hydra, skip_missing, searched := _searched(repo))
        if searched is None or key not in lists:
            lists[key] = choose(repo, config_name, overrides_list, prepend_hydra, skip_missing)
        return SimpleNamespace(defaults=lists[key].defaults, overrides=lists[key].overrides, config_overrides=values)

    @wraps(merge)
    def merged(self, defaults, repo):
        key = (*map(repr, defaults), searched := _searched(repo))
        if searched is None or key not in configs:
            configs[key] = dumps(merge(self, defaults, repo))
        return loads(configs[key])

    loader.CachingConfigRepository, loader.create_defaults_list = Repository, chosen
    loader.ConfigLoaderImpl._compose_config_from_defaults_list = merged
