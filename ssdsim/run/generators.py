"""Workloads that a class of the user's makes, under watch."""

from collections.abc import Iterator
from typing import Any, ClassVar

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
    generator: Generator = built(cls, f"workload.generator={config.generator}", config.options)
    return generator


@attrs.frozen
class GeneratedWorkload:
    """The requests of a generator, whose errors are told with its class and its lines."""

    config: GeneratorConfig
    generator: Generator
    rounds: ClassVar[int] = 1

    @property
    def requests(self) -> int | None:
        """How many requests a pass yields, if known."""
        return self.generator.requests

    @property
    def queue_depth(self) -> int | None:
        """Requests kept outstanding by closed-loop load, or None."""
        return self.generator.queue_depth

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

    def check(self) -> None:
        """Raise `ConfigError` for a number of requests, or a queue depth, that is none."""
        for name in ("requests", "queue_depth"):
            value = getattr(self.generator, name)
            # 2**53: as far as a float counts them without gaps
            if value is not None and not is_count(value, maximum=2**53):
                raise ConfigError(
                    f"{self._place}: {self._method(name)} is {value!r:.99}; it must be None, or a whole number of at "
                    "least 1."
                )

    @property
    def _place(self) -> str:
        return f"workload.generator={self.config.generator}"

    def _method(self, name: str) -> str:
        return f"{type(self.generator).__name__}.{name} in {file_of(type(self.generator))}"


@open_workload.register
def _open(config: GeneratorConfig, capacity_bytes: int, page_bytes: int, seed: int) -> GeneratedWorkload:
    generator = make_generator(config)
    # After this the generator knows the device: only then its numbers may be asked for.
    generator.bind(capacity_bytes, page_bytes, seed)
    workload = GeneratedWorkload(config, generator)
    workload.check()
    return workload
