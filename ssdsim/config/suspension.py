"""The suspension of programs and erases: for what, for how long at most, and how often."""

from typing import Any, ClassVar

from attrs import define, field

from ssdsim.config import validators
from ssdsim.config.validators import checked, is_list_of_names, policy_of, whole_floats


@define(kw_only=True, field_transformer=whole_floats)
class SuspensionConfig:
    """When a die suspends a program or an erase for others: `docs/pages/model/suspension.md` has rules and sources."""

    group: ClassVar[str] = "flash.suspension."

    policy: str = field(default="never", validator=policy_of("flash.suspension.policy"))
    """For which transactions a command is suspended, of those that may suspend it."""
    options: dict[str, Any] = field(factory=dict)
    """Options of the policy."""
    operations: list[str] = field(
        factory=lambda: ["program", "erase"],
        validator=checked(lambda v: set(v) <= {"program", "erase"}, "a list of program, erase"),
    )
    """Operations that can be suspended."""
    streams: list[str] | None = field(
        default=None, validator=checked(lambda v: v is None or is_list_of_names(v), "a list of streams, or null")
    )
    """Streams whose reads suspend; null: all."""
    writes_under_erase: bool = False
    """Whether an erase is suspended for writes of the host, too."""
    program_least_us: float = field(default=50.0, validator=validators.DURATION)
    """Time that the array works on a program before it can be suspended, each time."""
    erase_least_us: float = field(default=100.0, validator=validators.DURATION)
    """Time that the array works on an erase before it can be suspended, each time."""
    most: int = field(default=10, validator=validators.COUNT)
    """How often a command is suspended at most."""
