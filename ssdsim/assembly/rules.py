"""What does not go together, and why: one rule each, so that all that a configuration breaks can be told."""

from collections.abc import Callable, Iterator
from typing import Any

from attrs import frozen, has

from ssdsim.assembly.parts import Parts
from ssdsim.config.registry import STATIC_ORDERS
from ssdsim.errors import ConfigError
from ssdsim.flash.scheduler import Paq
from ssdsim.ftl.frontier import TwoPhaseFrontier

OTHERWISE = {"power_loss.at_s": "power_loss.after_programs", "hardware.bits_used": "hardware.bits_per_cell"}
"""Keys that speak where the first one is null."""


@frozen
class Rule:
    """Values of `keys` that do not go together where `broken` says so: the reason, and what to set instead.

    Both are said as `first key=value: reason; remedy.` In them `{1}` is the second key with its value, and so on;
    `{found}` is what `broken` has returned.
    """

    keys: tuple[str, ...]
    broken: Callable[[Parts], Any]
    reason: str
    remedy: str

    def refusal(self, parts: Parts) -> "Refusal | None":
        """Return the refusal of a configuration that breaks this rule, None of any other."""
        found = self.broken(parts)
        if not found:
            return None
        keys = tuple(_speaking(parts, key) for key in self.keys)
        given = [_given(key, value_of(parts.config, key)) for key in keys]
        words = (text.format(*given, found=found, p=parts) for text in (self.reason, self.remedy))
        return Refusal(self, keys, given[0], *words)


@frozen
class Refusal:
    """A rule that is broken: its keys, the first of them with its value, the reason and the remedy, in words."""

    rule: Rule
    keys: tuple[str, ...]
    place: str
    reason: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.place}: {self.reason}; {self.remedy}."


def value_of(config: Any, key: str) -> Any:
    """Return the value at a dotted key."""
    for name in key.split("."):
        config = getattr(config, name)
    return config


def shown(value: Any) -> str:
    """Return a value as one would write it in an override."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return f"[{','.join(map(shown, value))}]"
    return "null" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _given(key: str, value: Any) -> str:
    """Return a key with its value, or alone if that is a structure."""
    parts = value if isinstance(value, list) else [value]
    return key if any(isinstance(each, dict) or has(type(each)) for each in parts) else f"{key}={shown(value)}"


def _speaking(parts: Parts, key: str) -> str:
    return OTHERWISE[key] if key in OTHERWISE and value_of(parts.config, key) is None else key


def refusals(parts: Parts) -> Iterator[Refusal]:
    """Yield all refusals of a configuration, the one to tell first of all."""
    for rule in RULES:
        refusal = rule.refusal(parts)
        if refusal is not None:
            yield refusal


def check_rules(parts: Parts) -> None:
    """Raise `ConfigError` for the first rule that is broken."""
    for refusal in refusals(parts):
        raise ConfigError(str(refusal))


def _fills_to_the_page(parts: Parts) -> bool:
    wish = parts.config.precondition
    return wish.mode == "fill" and not wish.whole_blocks


def _fast(key: str, broken: Callable[[Parts], Any], reason: str) -> Rule:
    return Rule(
        (key, "ftl.mapping.scheme"),
        lambda p: p.is_fast and broken(p),
        reason + ", and {1}",
        "set one of them otherwise",
    )


def _paq(key: str, broken: Callable[[Parts], Any], remedy: str) -> Rule:
    return Rule(
        ("scheduler.policy", key),
        lambda p: isinstance(p.scheduling, Paq) and broken(p),
        "orders transactions by the multi-plane commands they form, of which there are none with {1}",
        remedy + ", or scheduler.policy=read_priority",
    )


def _saving(key: str) -> list[Rule]:
    def is_set(parts: Parts) -> bool:
        return value_of(parts.config, key) is not None

    return [
        Rule(
            (key, "checkpoint.save"),
            lambda p: is_set(p) and p.config.checkpoint.save is None,
            "says when the run is saved, and {1}",
            "name a file, or set it to null",
        ),
        Rule(
            (key, "timing"),
            lambda p: is_set(p) and _is_untimed(p),
            "a run is saved as time passes, and {1}",
            "set it to null, or timing=on",
        ),
    ]


def _role(role: str, reason: str, remedy: str) -> Rule:
    return Rule(
        ("ftl.gc.moves", "ftl.page_order"),
        lambda p: not p.is_fast and p.moves.role == role and role not in p.frontier.roles,
        reason,
        remedy,
    )


def _side_by_side(key: str, broken: Callable[[Parts], Any], remedy: str) -> Rule:
    return Rule(
        ("ftl.gc.reserved_blocks", key),
        lambda p: p.gc.reserved_blocks > 1 and broken(p),
        "has victims of a plane collected side by side, which does not go with {1}",
        "set it to 1, or that to " + remedy,
    )


def _stripe(key: str, broken: Callable[[Parts], Any], remedy: str) -> Rule:
    return Rule(
        ("ftl.super_page_of", key),
        lambda p: p.ftl.super_page_of == "stripe" and broken(p),
        "has the write buffer rename pages, which does not go with {1}",
        "set it to neighbours, or that to " + remedy,
    )


STRIPED: tuple[tuple[str, Callable[[Parts], Any], str], ...] = (
    ("buffer.replacement", lambda p: p.replacement is None, "epo"),
    ("ftl.mapping.scheme", lambda p: p.is_fast, "page"),
    ("integrity", lambda p: p.config.integrity == "on", "off"),
    ("power_loss.at_s", lambda p: p.config.power_loss.wanted, "null"),
)


def _unknown_streams(p: Parts) -> str:
    named = {*p.ftl.page_type_by_stream, *(switch.stream for switch in p.ftl.page_type_switches)}
    return ", ".join(sorted(each for each in named if each is not None and each not in p.streams))


def _unused_options(p: Parts) -> str:
    used = {name for names in p.scheme_lists.values() for name in names}
    return ", ".join(sorted(p.ftl.page_type_options.keys() - used))


def _forbids_phases(p: Parts) -> bool:
    order = p.order
    by_type = [order.page_of(k, page_type) for page_type in range(order.types) for k in range(order.wordlines)]
    return order.first_illegal(by_type) >= 0


def _is_untimed(p: Parts) -> bool:
    return p.config.timing == "off"


RULES: tuple[Rule, ...] = (
    # FAST.
    _fast(
        "ftl.page_order",
        lambda p: p.ftl.page_order != "sequential",
        "log and data blocks are filled page by page or row by row",
    ),
    _fast(
        "ftl.plane_allocation",
        lambda p: p.ftl.plane_allocation not in STATIC_ORDERS,
        "a static order decides where a page belongs",
    ),
    _fast("ftl.page_type", lambda p: p.ftl.page_type, "pages of a log block come in order, whatever their type"),
    _fast(
        "ftl.active_blocks",
        lambda p: p.ftl.active_blocks not in ("separate", "shared"),
        "log blocks do not tell one kind of data from another",
    ),
    _fast("ftl.backup", lambda p: p.ftl.backup != "none", "log and data blocks are not backed up"),
    _fast("ftl.wear_leveling.static", lambda p: p.ftl.wear_leveling.static, "a data block is only moved by a merge"),
    _fast("ftl.gc.moves", lambda p: p.ftl.moves == "copyback", "merges go through the controller"),
    _fast(
        "ftl.gc.combine_writes",
        lambda p: p.gc.combine_writes,
        "merges fill data blocks, which the host does not write to",
    ),
    _fast("ftl.gc.scope", lambda p: p.gc.scope == "device", "a merge is about the blocks of a plane or die"),
    _fast(
        "ftl.gc.holds_requests",
        lambda p: p.gc.holds_requests,
        "merges hold up writes where ftl.gc.holds_writes=true, and nothing else",
    ),
    _fast("ftl.gc.moves", lambda p: p.ftl.moves == "chip", "a merge keeps the pages of a plane there"),
    _fast(
        "ftl.gc.reserved_blocks",
        lambda p: p.gc.reserved_blocks > 1,
        "the blocks of a plane are merged one after another",
    ),
    _fast("ftl.next_block", lambda p: p.ftl.next_block == "filled", "log blocks are taken when they are needed"),
    # The state before the run.
    Rule(
        ("precondition.whole_blocks", "ftl.page_order"),
        lambda p: _fills_to_the_page(p) and p.ftl.page_order != "sequential",
        "a fill to the page goes through each active block in order, and {1}",
        "set one of them otherwise",
    ),
    Rule(
        ("precondition.whole_blocks", "ftl.backup"),
        lambda p: _fills_to_the_page(p) and p.ftl.backup != "none",
        "a fill to the page writes no backups, and {1}",
        "set one of them otherwise",
    ),
    _fast("precondition.whole_blocks", _fills_to_the_page, "only whole data blocks are filled"),
    Rule(
        ("precondition.full_buffer", "precondition.mode"),
        lambda p: p.config.precondition.full_buffer and p.config.precondition.mode == "writes",
        "what has been written in time is in the buffer already, and {1}",
        "set one of them otherwise",
    ),
    # Where no time passes.
    Rule(
        ("power_loss.at_s", "timing"),
        lambda p: p.config.power_loss.wanted and _is_untimed(p),
        "comes as time passes, and {1}",
        "set it to null, or timing=on",
    ),
    Rule(
        ("buffer.replacement", "timing"),
        lambda p: p.config.buffer.replacement != "none" and _is_untimed(p),
        "a write buffer needs time to pass, and {1}",
        "set it to none, or timing=on",
    ),
    Rule(
        ("ftl.page_type_switches", "timing"),
        lambda p: p.ftl.page_type_switches and _is_untimed(p),
        "have no meaning with {1}, where no time passes",
        "leave it empty, or set timing=on",
    ),
    Rule(
        ("check", "timing"),
        lambda p: p.config.check == "summary" and _is_untimed(p),
        "counts from requests and commands, of which there is no table with {1}",
        "set it to end, or timing=on",
    ),
    Rule(
        ("check", "checkpoint.save"),
        lambda p: (
            p.config.check == "summary" and p.config.checkpoint.save is not None and p.config.checkpoint.saves_run
        ),
        "counts from tables that hold the whole run, and are not saved along with {1}",
        "set it to end, or checkpoint.save=null",
    ),
    *_saving("checkpoint.at_s"),
    *_saving("checkpoint.at_requests"),
    *_saving("checkpoint.every_requests"),
    # Backups.
    Rule(
        ("ftl.backup", "hardware.bits_used"),
        lambda p: p.backup is not None and p.hardware.page_types > p.backup.most_types,
        "is for {p.backup.most_types} page types, and {1}",
        "set hardware.bits_used={p.backup.most_types}, as hardware/cells=mlc does, or ftl.backup to none",
    ),
    Rule(
        ("ftl.backup", "ftl.page_order"),
        lambda p: p.backup is not None and p.backup.needs_frontier not in ("", p.ftl.page_order),
        "needs blocks filled as by ftl.page_order={p.backup.needs_frontier}, and {1}",
        "set one of them to another",
    ),
    Rule(
        ("ftl.backup", "ftl.active_blocks"),
        lambda p: p.backup is not None and p.backup.needs_frontier and p.ftl.active_blocks != "shared",
        "erases backups in the order in which the blocks of one writer fill up, and {1}",
        "set that to shared",
    ),
    Rule(
        ("ftl.backup_place", "hardware.channels"),
        lambda p: p.ftl.backup_place == "next_channel" and p.hardware.channels == 1,
        "needs a second channel, and there is {1}",
        "set it to plane",
    ),
    Rule(
        ("ftl.backup_moved", "ftl.backup"),
        lambda p: not p.ftl.backup_moved and not (p.backup is not None and p.backup.copies),
        "is about copies, and {1} makes none",
        "set it to true",
    ),
    Rule(
        ("ftl.backup", "flash.program_order"),
        lambda p: p.backup is not None and p.order.free,
        "backs pages up in the order in which blocks are programmed, of which {1} has none",
        "set one of them to another",
    ),
    Rule(
        ("flash.partial_write_turn", "ftl.backup"),
        lambda p: p.flash.partial_write_turn == "on_arrival" and p.backup is not None and p.backup.beforehand,
        "gives pages to writes that are not whole yet, and {1} may back pages up before they are programmed",
        "set it to after_read, or that to another",
    ),
    Rule(
        ("power_loss.at_s", "flash.program_order"),
        lambda p: p.config.power_loss.wanted and p.order.free,
        "leaves blocks that are read back page by page in their order, of which {1} has none",
        "set it to null, or that to strict",
    ),
    # Kinds of data.
    Rule(
        ("ftl.active_blocks", "ftl.page_order"),
        lambda p: p.frontier.shares_blocks and p.ftl.active_blocks not in ("separate", "shared"),
        "keeps kinds of data apart, and {1} has all of them share its blocks",
        "set it to shared, or that to another",
    ),
    # Page types.
    Rule(
        ("ftl.page_order", "flash.program_order"),
        lambda p: isinstance(p.frontier, TwoPhaseFrontier) and _forbids_phases(p),
        "programs all pages of a type before the next, which {1} forbids",
        "set that to rps",
    ),
    Rule(
        ("ftl.page_type", "ftl.page_order"),
        lambda p: bool(p.ftl.page_type) != p.frontier.heeds_page_types,
        "does not go with {1}: blocks by page type need schemes that specify types, and others heed none",
        "set both, as stack=pa_ssd does, or neither",
    ),
    Rule(
        ("ftl.page_type_by_stream", "ftl.page_type"),
        lambda p: p.ftl.page_type_by_stream and not p.ftl.page_type,
        "needs schemes for all other streams, and {1}",
        "set that, too, or leave both empty",
    ),
    Rule(
        ("ftl.page_type_switches", "ftl.page_type"),
        lambda p: p.ftl.page_type_switches and not p.ftl.page_type,
        "needs schemes to begin with, and {1}",
        "set that, too, or leave both empty",
    ),
    Rule(("ftl.page_type", "workloads"), _unknown_streams, "there is no stream {found}", "they are {p.stream_names}"),
    Rule(
        ("ftl.page_type_options", "ftl.page_type"),
        _unused_options,
        "are of schemes that are asked for nothing ({found}), with {1}",
        "leave those out, or name them there",
    ),
    Rule(
        ("buffer.replacement", "ftl.page_type"),
        lambda p: p.config.buffer.replacement == "none" and p.asks_for_buffer,
        "leaves nothing for the page-type scheme adaptive to go by, which is how full the write buffer is, and {1}",
        "set it to lru, or the schemes to others",
    ),
    # The back end.
    Rule(
        ("scheduler.page_type_aware", "scheduler.policy"),
        lambda p: p.config.scheduler.page_type_aware and isinstance(p.scheduling, Paq),
        "does not go with {1}, which orders programs itself",
        "set it to false, or that to another",
    ),
    _paq("flash.multi_plane", lambda p: not p.flash.multi_plane, "set flash.multi_plane=[read,program,erase]"),
    _paq(
        "hardware.planes_per_die", lambda p: p.hardware.planes_per_die == 1, "set hardware.planes_per_die to at least 2"
    ),
    _paq("flash.plane_groups", lambda p: p.flash.plane_groups == 1, "set flash.plane_groups to at least 2, or null"),
    # Units of blocks, and moves.
    Rule(
        ("ftl.gc.moves", "ftl.unit"),
        lambda p: (p.ftl.moves == "rows") != p.ftl.aligned and (p.ftl.moves, p.ftl.unit) != ("controller", "twin"),
        "does not go with {1}: aligned blocks are collected together, in rows (twins also page by page); no others are",
        "set it to null, which is what the unit has",
    ),
    _role("points", "evens out write points, and {1} has none for a plane", "set that to sequential"),
    _role(
        "copies",
        "needs pages of a parity or a type in each plane, which {1} does not have ready",
        "set that to sequential or page_type",
    ),
    Rule(
        ("ftl.gc.moves", "ftl.backup"),
        lambda p: p.ftl.moves == "copyback" and p.ftl.backup != "none",
        "moves pages past the controller, which {1} would have to back up",
        "set it to controller, or that to none",
    ),
    Rule(
        ("ftl.plane_allocation_at", "ftl.plane_allocation"),
        lambda p: p.ftl.at_dispatch and not p.plane_allocation.dispatches,
        "has writes wait for a die that is free, and {1} does not heed who is",
        "set it to admission, or that to f, d, f2 or round_robin",
    ),
    Rule(
        ("ftl.plane_allocation", "ftl.unit"),
        lambda p: p.ftl.plane_allocation == "token" and p.ftl.aligned,
        "keeps the pages of a plane there, and {1} mixes those of a die",
        "set it to CWDP, or that to block",
    ),
    Rule(
        ("ftl.plane_allocation", "ftl.gc.moves"),
        lambda p: p.ftl.plane_allocation == "token" and p.ftl.moves == "parallel",
        "keeps the pages of a plane there, and {1} mixes those of a die",
        "set it to CWDP, or that to null",
    ),
    Rule(
        ("ftl.plane_allocation", "ftl.gc.moves"),
        lambda p: p.ftl.plane_allocation == "token" and p.ftl.moves == "chip",
        "keeps the pages of a plane there, and {1} moves them to others",
        "set it to chip, or that to controller",
    ),
    Rule(
        ("ftl.gc.moves", "ftl.gc.scope"),
        lambda p: p.ftl.moves == "chip" and p.gc.scope != "device",
        "moves pages to other planes, which may have nothing to collect then, and {1} collects each for itself",
        "set that to device, or it to controller",
    ),
    Rule(
        ("ftl.gc.scope", "ftl.gc.moves"),
        lambda p: p.gc.scope == "device" and p.ftl.moves in ("parallel", "rows"),
        "collects one block at a time, and {1} several together",
        "set it to unit, or that to chip",
    ),
    Rule(
        ("ftl.gc.scope", "ftl.unit"),
        lambda p: p.gc.scope == "device" and p.ftl.aligned and p.ftl.moves == "controller",
        "collects one block at a time, and blocks of {1} are collected together",
        "set it to unit, or that to block",
    ),
    Rule(
        ("ftl.gc.scope", "ftl.page_order"),
        lambda p: p.gc.scope == "device" and not p.is_fast and "points" not in p.frontier.roles,
        "needs one write point for each kind of data, and {1} has several",
        "set it to unit, or that to sequential",
    ),
    Rule(
        ("ftl.gc.ranking", "ftl.unit"),
        lambda p: p.gc.ranking == "least" and not p.ftl.aligned,
        "ranks aligned blocks, and {1}",
        "set that to twin",
    ),
    Rule(
        ("ftl.gc.ranking", "ftl.unit"),
        lambda p: p.gc.ranking == "least" and p.ftl.by_rows,
        "may choose aligned blocks that are dead in one plane only, of which no row is won back with {1}",
        "set it to total, or that to twin",
    ),
    Rule(
        ("ftl.super_page_of", "ftl.unit"),
        lambda p: p.ftl.super_page_of != "neighbours" and p.ftl.unit != "super_page",
        "says which pages make a super page, of which there are none with {1}",
        "set it to neighbours, or that to super_page",
    ),
    *(_stripe(*each) for each in STRIPED),
    Rule(
        ("ftl.gc.combine_writes", "ftl.unit"),
        lambda p: p.gc.combine_writes and p.ftl.unit != "die",
        "makes up rows, and {1}",
        "set that to die",
    ),
    Rule(
        ("ftl.gc.combine_writes", "ftl.gc.background_threshold"),
        lambda p: p.gc.combine_writes and p.gc.background_threshold is not None,
        "has the host's pages wait for a collection, which {1} would have wait for the host",
        "set it to false, or that to null",
    ),
    Rule(
        ("ftl.next_block", "ftl.page_order"),
        lambda p: p.ftl.next_block == "filled" and p.ftl.page_order != "sequential",
        "has one active block follow the other, of which {1} has several at once",
        "set it to needed, or that to sequential",
    ),
    _side_by_side("ftl.page_order", lambda p: p.ftl.page_order != "sequential", "sequential"),
    _side_by_side("ftl.gc.moves", lambda p: p.ftl.moves != "controller", "controller, with ftl.unit=block"),
    _side_by_side("ftl.unit", lambda p: p.ftl.aligned and p.ftl.moves == "controller", "block"),
    _side_by_side("ftl.gc.scope", lambda p: p.gc.scope == "device", "unit"),
    _side_by_side("ftl.gc.trigger", lambda p: p.gc.trigger == "free_pages", "free_blocks"),
    _side_by_side("ftl.gc.chip_margin", lambda p: p.gc.chip_margin is not None, "null"),
    _side_by_side("ftl.gc.background_threshold", lambda p: p.gc.background_threshold is not None, "null"),
    _side_by_side("ftl.gc.holds_writes", lambda p: p.gc.holds_writes, "false"),
    _side_by_side("ftl.gc.holds_requests", lambda p: p.gc.holds_requests, "false"),
    Rule(
        ("ftl.unit", "buffer.replacement"),
        lambda p: p.ftl.unit == "die" and (p.replacement is None or not p.replacement.knows_dies),
        "needs a write buffer that knows the die of each page, and {1}",
        "set that to epo, plane_lists or plane_turns",
    ),
    Rule(
        ("ftl.unit", "timing"),
        lambda p: p.ftl.by_rows and _is_untimed(p),
        "rows are made up as time passes, and {1}",
        "set that to the other value",
    ),
    Rule(
        ("ftl.unit", "precondition.timed"),
        lambda p: p.ftl.by_rows and p.config.precondition.mode == "writes" and not p.config.precondition.timed,
        "rows are made up as time passes, and {1}",
        "set that to the other value",
    ),
)
"""In the order in which they are told."""
