"""Workloads that a class of the user's makes, under watch."""

from collections.abc import Iterator
from typing import Any

import attrs

from ssdsim.assembly.own_policies import file_of, own_class, raised
from ssdsim.assembly.parts import built
from ssdsim.config import GeneratorConfig, is_count
from ssdsim.errors import ConfigError, SsdsimError
from ssdsim.workload import Chunk, open_workload
from ssdsim.workload.generator import Generator


def make_generator(config: GeneratorConfig) -> Generator:
    """Return an instance of the class that `config` names; raise `ConfigError` unless it is what it has to be."""
    cls = own_class("workload.generator", config.generator, Generator)
    return built(cls, f"workload.generator={config.generator}", config.options)


@open_workload.register(GeneratorConfig)
class GeneratedWorkload:
    """The requests of a generator, whose errors are told with its class and its lines.

    Raise `ConfigError` for a number of requests, or a queue depth, that is none.
    """

    rounds = 1

    def __init__(self, config: GeneratorConfig, capacity_bytes: int, page_bytes: int, seed: int):
        self.config, self.generator = config, make_generator(config)
        self.generator.bind(capacity_bytes, page_bytes, seed)
        # only now the generator knows the device, and its numbers may be asked for
        self.requests, self.queue_depth = self.generator.requests, self.generator.queue_depth
        for name in ("requests", "queue_depth"):
            value = getattr(self, name)
            # 2**53: as far as a float counts them without gaps
            if value is not None and not is_count(value, maximum=2**53):
                raise ConfigError(
                    f"{self._place}: {self._method(name)} is {value!r:.99}; it must be None, or a whole number of at "
                    "least 1."
                )

    def chunks(self) -> Iterator[Chunk]:
        """Yield the chunks of the generator."""
        try:
            yield from self.generator.chunks()
        except SsdsimError:  # it says by itself what is wrong
            raise
        except Exception as error:
            raise raised(self._place, type(self.generator), "chunks", error) from error

    def describe(self) -> dict[str, Any]:
        """Return the name of the class, the options, and what the generator says."""
        description = self.generator.describe()
        if not isinstance(description, dict):
            raise ConfigError(
                f"{self._place}: {self._method('describe')} returned {description!r:.200}, and owes a dictionary."
            )
        return {"kind": "generator", **attrs.asdict(self.config), **description}

    @property
    def _place(self) -> str:
        return f"workload.generator={self.config.generator}"

    def _method(self, name: str) -> str:
        return f"{type(self.generator).__name__}.{name} in {file_of(type(self.generator))}"
