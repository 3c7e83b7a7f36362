"""What would make a refused configuration an accepted one: found by trying, so that the advice is never refused."""

from bisect import bisect_left
from collections.abc import Callable
from functools import partial
from math import ceil, floor
from typing import Any

from attrs import evolve

from ssdsim.assembly.memory import evolve_hardware
from ssdsim.config import SimulationConfig
from ssdsim.errors import ConfigError

MOST_BLOCKS_TRIED = 1 << 20

Check = Callable[[SimulationConfig], None]


def remedy(config: SimulationConfig, check: Check, thresholds: Callable[[SimulationConfig], SimulationConfig]) -> str:
    """Return the changes of which each by itself makes `config` pass `check`.

    They are more over-provisioning, more blocks, and a lower threshold of collection or a smaller reserve that it
    follows. `thresholds` returns a configuration with those raised to where they have a meaning.
    """
    raised = thresholds(config)
    first = ""
    if raised.ftl.gc != config.ftl.gc:
        first = " and ".join(
            f"ftl.gc.{name} to at least {getattr(raised.ftl.gc, name):g}"
            for name in ("hard_threshold", "soft_threshold")
            if getattr(raised.ftl.gc, name) != getattr(config.ftl.gc, name)
        )
        if accepts(lambda: raised, check):
            return f"set {first}"
    share = over_provisioning(raised, check)
    found = [share] if share else []
    lower = None if first else threshold(raised, check) or reserve(raised, check)
    found += [each for each in (blocks(raised, check), lower) if each]
    none = "" if share else "no over-provisioning is enough"
    if not found:
        for spare_share in (0.5, 0.9, 0.99, 0.999):
            more = blocks(evolve(raised, hardware=evolve(raised.hardware, over_provisioning=spare_share)), check)
            if more:
                found = [f"hardware.over_provisioning to at least {spare_share} and {more}"]
                break
    if not found:
        return f"{none}, nor are more blocks: lower ftl.gc.soft_threshold and ftl.gc.hard_threshold"
    both = f"{first} and " if first else ""
    return f"{none}{': ' if none else ''}set {', or '.join(both + each for each in found)}"


def accepts(make: Callable[[], SimulationConfig], check: Check) -> bool:
    """Return whether the configuration that is made passes `check`, and can be made at all."""
    try:
        check(make())
    except ConfigError:
        return False
    return True


def _rejects(make: Callable[[int], SimulationConfig], check: Check, number: int) -> bool:
    return not accepts(partial(make, number), check)


def over_provisioning(config: SimulationConfig, check: Check) -> str | None:
    """Return the least over-provisioning that is accepted, or the most where the given one leaves nothing, in words."""
    hardware = config.hardware
    pages = hardware.blocks_per_plane * hardware.block_pages

    def with_share(share: float) -> SimulationConfig:
        return evolve(config, hardware=evolve(hardware, over_provisioning=share))

    def leaves(logical: int) -> SimulationConfig:
        return with_share(1 - logical / pages)

    if pages < 2 or not accepts(partial(leaves, 1), check):
        return None
    if hardware.logical_pages_per_plane < 1:
        shares = (floor((1 - 1 / pages) * digits) / digits for digits in (10**3, 10**6, 10**9))
        bound = "most"
    else:
        most = bisect_left(range(1, hardware.logical_pages_per_plane), True, key=partial(_rejects, leaves, check))
        shares = (ceil((1 - most / pages) * digits - 1e-9) / digits for digits in (10**3, 10**6, 10**9))
        bound = "least"
    usable = (share for share in shares if 0 <= share < 1 and accepts(partial(with_share, share), check))
    return next((f"hardware.over_provisioning to at {bound} {share:.9g}" for share in usable), None)


def blocks(config: SimulationConfig, check: Check) -> str | None:
    """Return the fewest blocks of a plane that are accepted, in words, or None if it takes very many."""

    def with_blocks(count: int) -> bool:
        return accepts(lambda: evolve_hardware(config, evolve(config.hardware, blocks_per_plane=count)), check)

    first = high = config.hardware.blocks_per_plane
    while high <= MOST_BLOCKS_TRIED and not with_blocks(high):
        first, high = high + 1, 2 * high
    if high > MOST_BLOCKS_TRIED:
        return None
    return f"hardware.blocks_per_plane to at least {first + bisect_left(range(first, high), True, key=with_blocks)}"


def threshold(config: SimulationConfig, check: Check) -> str | None:
    """Return the highest threshold of collection that is accepted, in words, or None if no lower one is."""
    gc = config.ftl.gc
    for name in ("soft_threshold", "hard_threshold"):
        given = getattr(gc, name)
        parts = 1 if given > 1 else 100  # a whole number of blocks, or hundredths of a share

        def lowered(count: int, name: str = name, parts: int = parts) -> SimulationConfig:
            changes: dict[str, Any] = {name: count / parts}
            return evolve(config, ftl=evolve(config.ftl, gc=evolve(gc, **changes)))

        low = ceil(gc.hard_threshold * parts) if name == "soft_threshold" else 1
        high = ceil(given * parts - 1e-9)
        if not accepts(partial(lowered, low), check):
            continue
        rejects = partial(_rejects, lowered, check)
        return f"ftl.gc.{name} to at most {(low + bisect_left(range(low + 1, high), True, key=rejects)) / parts:g}"
    return None


def reserve(config: SimulationConfig, check: Check) -> str | None:
    """Return the most reserved blocks that are accepted where thresholds follow them, in words, or None."""
    gc = config.ftl.gc
    if gc.trigger != "block_share":
        return None

    def with_reserve(count: int) -> SimulationConfig:
        return evolve(config, ftl=evolve(config.ftl, gc=evolve(gc, reserved_blocks=count)))

    counts = (count for count in range(gc.reserved_blocks - 1, 0, -1) if accepts(partial(with_reserve, count), check))
    return next((f"ftl.gc.reserved_blocks to at most {count}" for count in counts), None)
