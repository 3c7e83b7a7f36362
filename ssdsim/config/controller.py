"""What lies between the device queue and the rest of the device: the host's link, and the controller's processor."""

from attrs import define, field

from ssdsim.config.validators import Section, completed, number, one_of, whole

LINE_CODES = {"none": 1.0, "8b_10b": 8 / 10, "128b_130b": 128 / 130, "flit": 242 / 256}
"""Line codes by the share of the bits that carry packets."""

BYTES = whole(0, 65_536)


@define(kw_only=True, field_transformer=completed)
class LinkConfig(Section, group="link."):
    """The host's link, off without lanes; the presets of `conf/link` describe real ones.

    A message of 0 bytes is a packet without payload; one that is null is not sent.
    """

    lanes: int = field(default=0, validator=whole(0, 1024))
    """Lanes that a packet is spread over; 0: the link takes no time."""
    lane_gt_s: float = field(default=8.0, validator=number(1e-3, 1e6))
    """Bits that a lane carries in each direction, code included."""
    line_code: str = field(default="128b_130b", validator=one_of(*LINE_CODES))
    """Code of the bits on a lane, of which a share carries packets: PCIe 1, 2 and SATA, PCIe 3 to 5, PCIe 6 (flit)."""
    payload_bytes: int = 256
    """Payload of a packet, at most."""
    overhead_bytes: int = field(default=24, validator=BYTES)
    """Header, framing and checksums of a packet."""
    latency_ns: float = 0.0
    """Time from the end of sending a message until it has arrived."""
    duplex: str = field(default="full", validator=one_of("full", "half"))
    """Whether both directions send at once (PCIe), or one (SATA)."""
    doorbell_bytes: int | None = field(default=4, validator=BYTES)
    """Host to device: that there is a command."""
    fetch_bytes: int | None = field(default=0, validator=BYTES)
    """Device to host: that it wants the command."""
    command_bytes: int = field(default=64, validator=BYTES)
    """Host to device: the command."""
    accepted_bytes: int | None = field(default=None, validator=BYTES)
    """Device to host: that it has the command, for which nobody waits."""
    data_request_bytes: int | None = field(default=0, validator=BYTES)
    """Device to host: that it wants the data of a write or trim."""
    trim_bytes: int = field(default=16, validator=BYTES)
    """Host to device: the ranges of a trim."""
    read_setup_bytes: int | None = field(default=None, validator=BYTES)
    """Device to host: what comes before the data of a read."""
    completion_bytes: int = field(default=16, validator=BYTES)
    """Device to host: that a request is complete."""
    release_bytes: int | None = field(default=4, validator=BYTES)
    """Host to device: that it has seen the completion, for which nobody waits."""

    @property
    def lane_ns_per_byte(self) -> float:
        """Time that a lane takes for a byte of a packet."""
        return 8 / (self.lane_gt_s * LINE_CODES[self.line_code])


@define(kw_only=True, field_transformer=completed)
class ControllerConfig(Section, group="controller."):
    """The cores of the controller's processor, and how long each kind of command holds one."""

    cores: int = field(default=1, validator=whole(1, 1024))
    """Cores of the processor, each of which deals with one command at a time."""
    read_ns: float = 0.0
    """Time of a core for a read."""
    write_ns: float = 0.0
    """Time of a core for a write."""
    trim_ns: float = 0.0
    """Time of a core for a trim."""

    @property
    def takes_time(self) -> bool:
        """Whether any command takes time."""
        return any((self.read_ns, self.write_ns, self.trim_ns))
