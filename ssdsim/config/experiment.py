"""An experiment, whole, and its registration with Hydra."""

from collections.abc import Iterator, Mapping
from typing import Any

from attrs import define, field, fields, has

from ssdsim.config.buffer import BufferConfig, DramConfig, ReadCacheConfig
from ssdsim.config.controller import ControllerConfig, LinkConfig
from ssdsim.config.flash import FlashConfig, SchedulerConfig
from ssdsim.config.ftl import FtlConfig
from ssdsim.config.hardware import HardwareConfig
from ssdsim.config.host import HostConfig
from ssdsim.config.validators import (
    MOST_NS,
    SHARE,
    Allowed,
    Section,
    completed,
    number,
    one_of,
    require,
    some_of,
    whole,
)
from ssdsim.config.workload import FioConfig, GeneratorConfig, SyntheticConfig, TraceConfig


@define(kw_only=True, field_transformer=completed)
class PreconditionConfig(Section, group="precondition."):
    """The state of the device before the first request.

    With mode=writes the load is then `run_in`, if the run takes simulated time: its reads and writes go to random
    places until as many pages are written as were free, and are not measured. So what is free is what that load leaves,
    less than collection wants where the host is busy. What collection wants then is done before the run if the device
    is to start `collected`; else it begins at once, or when the host first writes.
    """

    mode: str = field(default="fill", validator=one_of("none", "fill", "writes"))
    """How the device is prepared: not at all, filled at once, or written to until steady."""
    fill_share: float | None = None
    """Blocks that are filled, of each plane or die; null: down to the soft threshold."""
    fill_share_to: float | None = field(default=None, validator=SHARE)
    """With it, each plane or die is filled to a share drawn between both."""
    valid_share: float | None = None
    """Logical pages that hold data; null: all that can."""
    valid_reads: bool = True
    """Whether every page that the workloads read holds data, too."""
    whole_blocks: bool = True
    """Whether a fill ends with a whole block, or on any page."""
    collected: bool = False
    """Whether what collection wants then is done before the run."""
    full_buffer: bool = False
    """Whether the write buffer starts with what the workloads write last."""
    timed: bool | None = None
    """Whether mode=writes takes simulated time, as the run does; null: where planes are written in rows."""
    run_in: bool = True
    """Whether mode=writes ends with the load, unmeasured, until free space is what that leaves."""
    tolerance: float = field(default=0.01, validator=SHARE)
    """Change of write amplification between two windows that counts as steady."""
    window_share: float = field(default=0.5, validator=number(0.01, 100))
    """Logical capacity that a window of mode=writes writes."""
    max_windows: int = field(default=64, validator=whole(1, 10_000))
    """Windows after which mode=writes ends at the latest."""

    def __attrs_post_init__(self) -> None:
        """Refuse an upper share without or below the lower one."""
        least, most = self.fill_share, self.fill_share_to
        holds = most is None or (least is not None and least <= most)
        require(self, "fill_share_to", holds, "null, or at least precondition.fill_share")


@define(kw_only=True, field_transformer=completed)
class PowerLossConfig(Section, group="power_loss."):
    """When power is cut, once.

    Programs and erases in flight are destroyed, and everything in controller memory is gone; the write buffer stays if
    it has a `capacitor`. After the reboot the run goes on with the requests that had not been admitted.
    """

    at_s: float | None = field(default=None, validator=number(0, MOST_NS / 1e9))
    """Cut power once, so long after the measured run began."""
    after_programs: int | None = None
    """Cut power once, when so many programs are done in the measured run."""
    capacitor: bool = False
    """Whether the write buffer outlasts the loss of power."""

    def __attrs_post_init__(self) -> None:
        """Refuse two moments for one cut."""
        once = self.at_s is None or self.after_programs is None
        require(self, "after_programs", once, "null with power_loss.at_s, as power is cut once")

    @property
    def wanted(self) -> bool:
        """Whether power is cut at all."""
        return self.at_s is not None or self.after_programs is not None


@define(kw_only=True, field_transformer=completed)
class MetricsConfig(Section, group="metrics."):
    """What is measured beside the summary's usual numbers, and how closely."""

    window_ms: float | None = field(default=None, validator=number(1e-3, 1e9))
    """Length of the windows of the time series, doubled while there are more than 100,000; null: 1 ms, and 1024."""
    blame: bool = False
    """Whether response times are also divided by what held the requests up: other requests, collection, and so on."""
    half_width: float = field(default=0.1, validator=SHARE)
    """Half of the interval that is asked of write amplification and mean response times, as a share of them."""


def _switch(value: Any) -> Any:
    """Turn YAML's booleans, which is what an unquoted `on` or `off` becomes, back into the words."""
    # by their names: YAML has made booleans of them
    return {"True": "on", "False": "off"}.get(str(value).capitalize(), value)


def _listed(value: Any) -> list[str]:
    if value is None or isinstance(value, str | int | float):  # one word stands for a list of it
        return [] if value is None else [str(value)]
    return list(value)


@define(kw_only=True, field_transformer=completed)
class SimulationConfig(Section):
    """One experiment, whole."""

    seed: int = field(default=1, validator=whole(0, 2**63 - 1))
    """Seed of everything random."""
    kernel: str = field(default="compiled", validator=one_of("compiled", "simpy"))
    """Who runs the events: the compiled kernel, or stock SimPy; results are the same."""
    timing: str = field(default="on", converter=_switch, validator=one_of("on", "off"))
    """Whether operations take time; off: only what is written where counts, several times as fast."""
    check: str = field(default="end", converter=_switch, validator=one_of("off", "end", "gc", "always"))
    """When the books of the device are recounted: after each collection (gc) or each request (always), too, is slow."""
    integrity: str = field(default="off", converter=_switch, validator=one_of("on", "off"))
    """Whether contents of sectors are held against what they must be, in thrice the time."""
    record: Any = field(factory=list, converter=_listed, validator=some_of("requests", "commands"))
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
        validator=Allowed(
            lambda loads: all(has(type(load)) for load in loads.values()), "a mapping of streams to workloads"
        ),
    )
    """Further streams by name, as +workload@workloads.b=synthetic makes."""

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


@define(kw_only=True, field_transformer=completed)
class CommandConfig(SimulationConfig):
    """An experiment as a command line has it, with what becomes of its results."""

    overwrite: bool = False
    """Whether results may take the place of those of an earlier run."""
    plot: bool | None = None
    """Whether to draw overview.png, with altair: true, false, or null, from 100,000 requests on."""
    quiet: bool = False
    """Whether only errors are told, and where the results are; -q is the same."""


def register() -> None:
    """Make the classes above known to Hydra as the schemas that `conf/` builds on: `_experiment` and `_` + workload.

    `unless` is for keys of which one must be null: a value only where another one is.
    """
    from hydra.core.config_store import ConfigStore
    from omegaconf import OmegaConf

    if "_experiment.yaml" in ConfigStore.instance().repo:
        return
    OmegaConf.register_new_resolver("unless", lambda other, value: value if other is None else None, replace=True)
    store = ConfigStore.instance().store
    store("_experiment", keys_of(CommandConfig()))
    # a closed loop of one, as a schema must be a load that is allowed
    loads = {"fio": FioConfig(), "generator": GeneratorConfig(), "trace": TraceConfig()}
    for name, load in {**loads, "synthetic": SyntheticConfig(queue_depth=1)}.items():
        store(f"_{name}", keys_of(load), group="workload")


def keys_of(section: Any) -> Any:
    """Return the keys of a section as a node of OmegaConf, whose mappings, such as options, take new keys."""
    from omegaconf import OmegaConf

    node = OmegaConf.create()
    for key in fields(type(section)):
        value = getattr(section, key.name)
        node[key.name] = keys_of(value) if has(type(value)) else value
        if isinstance(value, dict):
            node[key.name]._set_flag("struct", False)
    return node
