"""An experiment, whole, and its registration with Hydra."""

from collections.abc import Iterator, Mapping
from math import ceil
from typing import Any, ClassVar

from attrs import asdict, define, evolve, field, fields, has

from ssdsim.config import validators
from ssdsim.config.buffer import BufferConfig, DramConfig, ReadCacheConfig
from ssdsim.config.controller import ControllerConfig, LinkConfig
from ssdsim.config.flash import FlashConfig, SchedulerConfig
from ssdsim.config.ftl import FtlConfig
from ssdsim.config.hardware import HardwareConfig
from ssdsim.config.host import HostConfig
from ssdsim.config.validators import checked, nearest, number, one_of, refuse, whole, whole_floats
from ssdsim.config.workload import FioConfig, GeneratorConfig, SyntheticConfig, TraceConfig

RECORDINGS = ("requests", "commands")


@define(kw_only=True, field_transformer=whole_floats)
class PreconditionConfig:
    """The state of the device before the first request.

    A share left null is as much as there can be: blocks down to the soft threshold of garbage collection are filled,
    and every logical page holds data. With `fill_share_to` each plane, or die, is filled to a share drawn between the
    two. A fill takes `whole_blocks`, or else goes to the page, so that write points differ.

    With mode=writes the load is then `run_in`, if the run takes simulated time: its reads and writes go to random
    places until as many pages are written as were free, and are not measured. So what is free is what that load leaves,
    less than collection wants where the host is busy.

    What collection wants then is done before the run if the device is to start `collected`; else it begins at once, or
    when the host first writes. With a `full_buffer` the write buffer starts with the pages that the workloads write
    last, as if they had run before.
    """

    group: ClassVar[str] = "precondition."

    mode: str = field(default="fill", validator=one_of("none", "fill", "writes"))
    """How the device is prepared: not at all, filled at once, or written to until steady."""
    fill_share: float | None = field(default=None, validator=validators.SHARE_OR_NONE)
    """Blocks that are filled, of each plane or die; null: down to the soft threshold."""
    fill_share_to: float | None = field(default=None, validator=validators.SHARE_OR_NONE)
    """With it, each plane or die is filled to a share drawn between both."""
    valid_share: float | None = field(default=None, validator=validators.SHARE_OR_NONE)
    """Logical pages that hold data; null: all that can."""
    valid_reads: bool = True
    """Whether every page that the workloads read holds data, too."""
    whole_blocks: bool = True
    """Whether a fill ends with a whole block, or on any page."""
    collected: bool = False
    """Whether what collection wants then is done before the run."""
    full_buffer: bool = False
    """Whether the write buffer starts with what the workloads write last."""
    timed: bool | None = field(default=None, validator=validators.TRUTH_OR_NONE)
    """Whether mode=writes takes simulated time, as the run does; null: where planes are written in rows."""
    run_in: bool = True
    """Whether mode=writes ends with the load, unmeasured, until free space is what that leaves."""
    tolerance: float = field(default=0.01, validator=validators.SHARE)
    """Change of write amplification between two windows that counts as steady."""
    window_share: float = field(default=0.5, validator=number(0.01, 100, "a share, 0.01 to 100"))
    """Logical capacity that a window of mode=writes writes."""
    max_windows: int = field(default=64, validator=whole(1, 10_000, "a whole number, 1 to 10000"))
    """Windows after which mode=writes ends at the latest."""

    def __attrs_post_init__(self) -> None:
        """Refuse an upper share without or below the lower one."""
        if self.fill_share_to is not None and (self.fill_share is None or self.fill_share_to < self.fill_share):
            raise refuse(self, "fill_share_to", self.fill_share_to, "null, or at least precondition.fill_share")


@define(kw_only=True, field_transformer=whole_floats)
class PowerLossConfig:
    """When power is cut, once: `at_s` seconds into the measured run, or when so many programs are done in it.

    Programs and erases in flight are destroyed, and everything in controller memory is gone; the write buffer stays if
    it has a `capacitor`. After the reboot the run goes on with the requests that had not been admitted.
    """

    group: ClassVar[str] = "power_loss."

    at_s: float | None = field(default=None, validator=validators.MOMENT_OR_NONE)
    """Cut power once, so long after the measured run began."""
    after_programs: int | None = field(default=None, validator=validators.COUNT_OR_NONE)
    """Cut power once, when so many programs are done in the measured run."""
    capacitor: bool = False
    """Whether the write buffer outlasts the loss of power."""

    def __attrs_post_init__(self) -> None:
        """Refuse two moments for one cut."""
        if self.at_s is not None and self.after_programs is not None:
            raise refuse(self, "after_programs", self.after_programs, "null with power_loss.at_s, as power is cut once")

    @property
    def wanted(self) -> bool:
        """Whether power is cut at all."""
        return self.at_s is not None or self.after_programs is not None


@define(kw_only=True, field_transformer=whole_floats)
class MetricsConfig:
    """The time series, with one row for each window of `window_ms` of simulated time.

    Windows double as often as it takes for there to be 100,000 at most. If that is null, they begin at 1 ms, and there
    are 1024 at most.
    """

    group: ClassVar[str] = "metrics."

    window_ms: float | None = field(
        default=None, validator=number(1e-3, 1e9, "a time in milliseconds, 0.001 to 1e9", or_null=True)
    )
    """Length of the windows of the time series, doubled while there are more than 100,000; null: 1 ms, and 1024."""
    blame: bool = False
    """Whether response times are also divided by what held the requests up: other requests, collection, and so on."""
    half_width: float = field(default=0.1, validator=validators.SHARE)
    """Half of the interval that is asked of write amplification and mean response times, as a share of them."""


def _switch(value: Any) -> Any:
    """Turn YAML's booleans, which is what an unquoted `on` or `off` becomes, back into the words."""
    # by their names: YAML has made booleans of them
    return {"True": "on", "False": "off"}.get(str(value).capitalize(), value)


def _listed(value: Any) -> list[str]:
    if value is None or isinstance(value, str | int | float):  # one word stands for a list of it
        return [] if value is None else [str(value)]
    return list(value)


def _recordings(owner: Any, attribute: Any, value: list[str]) -> None:
    for name in value:
        if name not in RECORDINGS:
            raise refuse(owner, "record", name, f"{_recordings.must_be}{nearest(name, RECORDINGS)}")  # type: ignore[attr-defined]


_recordings.must_be = f"a list of {', '.join(RECORDINGS)}"  # type: ignore[attr-defined]


@define(kw_only=True, field_transformer=whole_floats)
class SimulationConfig:
    """One experiment, whole."""

    group: ClassVar[str] = ""

    seed: int = field(default=1, validator=validators.WHOLE)
    """Seed of everything random."""
    kernel: str = field(default="compiled", validator=one_of("compiled", "simpy"))
    """Who runs the events: the compiled kernel, or stock SimPy; results are the same."""
    timing: str = field(default="on", converter=_switch, validator=one_of("on", "off"))
    """Whether operations take time."""
    check: str = field(default="end", converter=_switch, validator=one_of("off", "end", "gc", "always"))
    """When the books of the device are recounted."""
    integrity: str = field(default="off", converter=_switch, validator=one_of("on", "off"))
    """Whether the content of every sector, and the time of every command, is held against what it must be."""
    record: Any = field(factory=list, converter=_listed, validator=_recordings)
    """Tables with a row for each request or flash command."""
    hardware: HardwareConfig = field(factory=HardwareConfig)
    flash: FlashConfig = field(factory=FlashConfig)
    scheduler: SchedulerConfig = field(factory=SchedulerConfig)
    buffer: BufferConfig = field(factory=BufferConfig)
    read_cache: ReadCacheConfig = field(factory=ReadCacheConfig)
    ftl: FtlConfig = field(factory=FtlConfig)
    host: HostConfig = field(factory=HostConfig)
    link: LinkConfig = field(factory=LinkConfig)
    controller: ControllerConfig = field(factory=ControllerConfig)
    dram: DramConfig = field(factory=DramConfig)
    precondition: PreconditionConfig = field(factory=PreconditionConfig)
    power_loss: PowerLossConfig = field(factory=PowerLossConfig)
    metrics: MetricsConfig = field(factory=MetricsConfig)
    workload: Any = None
    """The main stream of requests: a trace, or generated ones."""
    workloads: dict[str, Any] = field(
        factory=dict,
        validator=checked(
            lambda v: all(has(type(load)) for load in v.values()),
            "a mapping of streams to workloads, as +workload@workloads.b=synthetic makes",
        ),
    )
    """Further streams by name, as +workload@workloads.b=synthetic makes."""

    def __attrs_post_init__(self) -> None:
        """Settle the extra blocks."""
        share, given = self.ftl.extra_block_share, self.hardware.extra_blocks
        if share is None:
            return
        extra = ceil(share * self.hardware.blocks_per_plane - 1e-9)  # 1e-9: 0.1 of 10 is 1, for all its binary digits
        wanted = extra - extra // 5  # four fifths, rounded up
        if given not in (0, wanted):  # 0 is the default, and the other what a configuration that was saved has
            allowed = f"{wanted}, or 0, as ftl.extra_block_share={share:g}; or that null"
            raise refuse(self.hardware, "extra_blocks", given, allowed)
        self.hardware = evolve(self.hardware, extra_blocks=wanted)

    @property
    def has_outer_parts(self) -> bool:
        """Whether the host's link or the controller's processor takes time."""
        return self.link.lanes > 0 or self.controller.takes_time

    @property
    def prepared_in_time(self) -> bool:
        """Whether the precondition takes simulated time, in which alone rows of planes are made up."""
        timed = self.precondition.timed
        asked = self.ftl.unit in ("die", "super_page") if timed is None else timed
        return asked and self.precondition.mode == "writes" and self.timing == "on"

    @property
    def super_page(self) -> int:
        """How many consecutive logical pages are always written together."""
        return self.hardware.planes_per_die if self.ftl.unit == "super_page" else 1

    @property
    def super_page_stripe(self) -> int:
        """How far apart the logical pages of a super page are; 0 for consecutive ones."""
        return self.hardware.dies if self.super_page > 1 and self.ftl.super_page_of == "stripe" else 0


def flatten(mapping: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield dotted key and value of every leaf of nested mappings; an empty mapping is a leaf."""
    for name, value in mapping.items():
        if isinstance(value, dict) and value:
            yield from flatten(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def register_resolver() -> None:
    """Make `unless` known to OmegaConf, for keys of which one must be null: a value only where another one is."""
    from omegaconf import OmegaConf

    OmegaConf.register_new_resolver("unless", lambda other, value: value if other is None else None, replace=True)


@define(kw_only=True)
class CommandConfig(SimulationConfig):
    """An experiment as a command line has it, with what becomes of its results."""

    overwrite: bool = False
    """Whether results may take the place of those of an earlier run."""
    plot: bool | None = None
    """Whether to draw overview.png, with altair: true, false, or null, from 100,000 requests on."""
    quiet: bool = False
    """Whether only errors are told, and where the results are; -q is the same."""


def register() -> None:
    """Make the classes above known to Hydra as the schemas that `conf/` builds on: `_experiment` and `_` + workload."""
    from hydra.core.config_store import ConfigStore

    if "_experiment.yaml" in ConfigStore.instance().repo:
        return
    register_resolver()
    store = ConfigStore.instance().store
    store("_experiment", keys_of(CommandConfig()))
    # a closed loop of one, as a schema must be a load that is allowed
    loads = {"fio": FioConfig(), "generator": GeneratorConfig(), "trace": TraceConfig()}
    for name, load in {**loads, "synthetic": SyntheticConfig(queue_depth=1)}.items():
        store(f"_{name}", keys_of(load), group="workload")


def keys_of(section: Any) -> Any:
    """Return the keys of a section as a node of OmegaConf, whose mappings, such as options, take new keys."""
    from omegaconf import OmegaConf

    node = OmegaConf.create(asdict(section))
    _open_mappings(node, section)
    return node


def _open_mappings(node: Any, section: Any) -> None:
    for key in fields(type(section)):
        value = getattr(section, key.name)
        if has(type(value)):
            _open_mappings(node[key.name], value)
        elif isinstance(value, dict):
            node[key.name]._set_flag("struct", False)
