"""Who specifies the page types of writes, built from the configuration."""

from typing import Any

from ssdsim._core.random import RandomStream
from ssdsim.assembly.registry import is_policy, make_policy
from ssdsim.config import SimulationConfig, nearest
from ssdsim.errors import ConfigError
from ssdsim.ftl import page_type
from ssdsim.ftl.page_type import PageTypeScheme, PageTypeSpecifier, check_order


def make_specifier(config: SimulationConfig, blocks: Any, frontier: Any, buffer: Any) -> PageTypeSpecifier | None:
    """Return who specifies the page types of writes, or None where nobody does; raise `ConfigError` if it cannot be."""
    ftl, streams = config.ftl, ["main", *config.workloads]
    _check_combination(config, frontier)
    if not ftl.page_type:
        return None

    def make(key: str, names: list[str], purpose: str) -> list[PageTypeScheme]:
        schemes = []
        for place, name in enumerate(names):
            scheme = make_policy(key, name, PageTypeScheme, page_type, ftl.page_type_options.get(name))
            random = RandomStream(config.seed, f"page type {place} of {purpose}")
            scheme.bind(blocks, config.hardware.page_bytes, buffer, random)
            schemes.append(scheme)
        check_order(key, names, schemes)
        return schemes

    lists = []
    for name in streams:
        own = name in ftl.page_type_by_stream
        key = f"ftl.page_type_by_stream.{name}" if own else "ftl.page_type"
        lists.append(make(key, ftl.page_type_by_stream[name] if own else ftl.page_type, name))
    switches = []
    for place, switch in enumerate(sorted(ftl.page_type_switches, key=lambda switch: switch.at_s)):
        for stream in streams if switch.stream is None else [switch.stream]:
            schemes = make("ftl.page_type_switches.page_type", switch.page_type, f"switch {place} of {stream}")
            switches.append((round(switch.at_s * 1e9), streams.index(stream), schemes))
    return PageTypeSpecifier(lists, make("ftl.gc.page_type", ftl.gc.page_type, "moved data"), switches)


def _check_combination(config: SimulationConfig, frontier: Any) -> None:
    """Refuse schemes that would never be asked, a frontier without any, and names that stand for nothing."""
    ftl, streams = config.ftl, ["main", *config.workloads]
    if bool(ftl.page_type) != frontier.heeds_page_types:
        raise ConfigError(
            f"ftl.page_type=[{','.join(ftl.page_type)}]: does not go with ftl.block_allocation="
            f"{ftl.block_allocation}: blocks by page type need schemes that specify types, and others heed none; set "
            "both, as stack=pa_ssd does, or neither."
        )
    for key in ("page_type_by_stream", "page_type_switches"):
        if getattr(ftl, key) and not ftl.page_type:
            raise ConfigError(
                f"ftl.{key}: needs ftl.page_type, the schemes of all else; set it too, or leave both empty."
            )
    for stream in {*ftl.page_type_by_stream, *(switch.stream for switch in ftl.page_type_switches)} - {None, *streams}:
        raise ConfigError(f"ftl.page_type: there is no stream {stream}; they are {', '.join(streams)}.")
    known = [cls.name for cls in vars(page_type).values() if is_policy(cls, PageTypeScheme)]
    for name in ftl.page_type_options:
        if name not in known and "." not in name:
            near = nearest(name, known)
            raise ConfigError(f"ftl.page_type_options.{name}: no such scheme; they are {', '.join(known)}{near}.")
    if ftl.page_type_switches and config.timing == "off":
        raise ConfigError("ftl.page_type_switches: have no meaning with timing=off, where no time passes.")
