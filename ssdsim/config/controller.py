"""What lies between the device queue and the rest of the device: the host's link, and the controller's processor."""

from typing import ClassVar

from attrs import define, field

from ssdsim.config import validators
from ssdsim.config.validators import number, one_of, whole, whole_floats

LINE_CODES = {"none": 1.0, "8b_10b": 8 / 10, "128b_130b": 128 / 130, "flit": 242 / 256}
"""Line codes by the share of the bits that carry packets."""

MESSAGE = whole(0, 65_536, "a whole number of bytes, 0 to 65536")
MESSAGE_OR_NONE = whole(0, 65_536, "a whole number of bytes, 0 to 65536", or_null=True)


@define(kw_only=True, field_transformer=whole_floats)
class LinkConfig:
    """The host's link, off without lanes; the presets of `conf/link` describe real ones.

    A message of 0 bytes is a packet without payload; one that is null is not sent.
    """

    group: ClassVar[str] = "link."

    lanes: int = field(default=0, validator=whole(0, 1024, "a whole number, 0 to 1024"))
    """Lanes that a packet is spread over; 0: the link takes no time."""
    lane_gt_s: float = field(default=8.0, validator=number(1e-3, 1e6, "a rate in GT/s, 0.001 to 1e6"))
    """Bits that a lane carries in each direction, code included."""
    line_code: str = field(default="128b_130b", validator=one_of(*LINE_CODES))
    """Code of the bits on a lane, of which a share carries packets."""
    payload_bytes: int = field(default=256, validator=validators.COUNT)
    """Payload of a packet, at most."""
    overhead_bytes: int = field(default=24, validator=MESSAGE)
    """Header, framing and checksums of a packet."""
    latency_ns: float = field(default=0.0, validator=validators.DURATION_NS)
    """Time from the end of sending a message until it has arrived."""
    duplex: str = field(default="full", validator=one_of("full", "half"))
    """Whether both directions send at once."""
    doorbell_bytes: int | None = field(default=4, validator=MESSAGE_OR_NONE)
    """Host to device: that there is a command."""
    fetch_bytes: int | None = field(default=0, validator=MESSAGE_OR_NONE)
    """Device to host: that it wants the command."""
    command_bytes: int = field(default=64, validator=MESSAGE)
    """Host to device: the command."""
    accepted_bytes: int | None = field(default=None, validator=MESSAGE_OR_NONE)
    """Device to host: that it has the command, for which nobody waits."""
    data_request_bytes: int | None = field(default=0, validator=MESSAGE_OR_NONE)
    """Device to host: that it wants the data of a write or trim."""
    trim_bytes: int = field(default=16, validator=MESSAGE)
    """Host to device: the ranges of a trim."""
    read_setup_bytes: int | None = field(default=None, validator=MESSAGE_OR_NONE)
    """Device to host: what comes before the data of a read."""
    completion_bytes: int = field(default=16, validator=MESSAGE)
    """Device to host: that a request is complete."""
    release_bytes: int | None = field(default=4, validator=MESSAGE_OR_NONE)
    """Host to device: that it has seen the completion, for which nobody waits."""

    @property
    def lane_ns_per_byte(self) -> float:
        """Time that a lane takes for a byte of a packet."""
        return 8 / (self.lane_gt_s * LINE_CODES[self.line_code])


@define(kw_only=True, field_transformer=whole_floats)
class ControllerConfig:
    """The cores of the controller's processor, and how long each kind of command holds one."""

    group: ClassVar[str] = "controller."

    cores: int = field(default=1, validator=whole(1, 1024, "a whole number, 1 to 1024"))
    """Cores of the processor, each of which deals with one command at a time."""
    read_ns: float = field(default=0.0, validator=validators.DURATION_NS)
    """Time of a core for a read."""
    write_ns: float = field(default=0.0, validator=validators.DURATION_NS)
    """Time of a core for a write."""
    trim_ns: float = field(default=0.0, validator=validators.DURATION_NS)
    """Time of a core for a trim."""
    flush_ns: float = field(default=0.0, validator=validators.DURATION_NS)
    """Time of a core for a flush."""
    page_ns: float = field(default=0.0, validator=validators.DURATION_NS)
    """Time of a core for each page of a read, write or trim, beside that."""

    @property
    def takes_time(self) -> bool:
        """Whether any command takes time."""
        return any((self.read_ns, self.write_ns, self.trim_ns, self.flush_ns, self.page_ns))
