"""Random devices whose dies read side by side, and what must hold of the commands of such a die."""

from collections import defaultdict
from typing import Any

from hypothesis import strategies as st


@st.composite
def side_by_side(draw: st.DrawFn, device: dict[str, Any]) -> dict[str, Any]:
    """Return `device`, a quarter of the time with planes that read independently, without what does not go with that.

    A read command takes time then, as those that begin in one instant could not be told apart.
    """
    if draw(st.integers(0, 3)):
        return device
    hardware, flash = device["hardware"], device["flash"]
    hardware |= {"plane_reads": "independent", "read_command_us": max(hardware["read_command_us"], 0.001)}
    flash |= {"collection_holds": "die", "suspension": {}}
    return device


def reads_side_by_side_keep_apart(commands: list[list[dict[str, Any]]]) -> None:
    """Assert that a plane has one read at a time, from its start until its data is out, and a die one other command."""
    planes: dict[Any, int] = defaultdict(int)
    reads_end = others_end = 0
    for command in sorted(commands, key=lambda each: each[0]["bus_start_ns"]):
        start, end = command[0]["bus_start_ns"], max(c["end_ns"] for c in command)
        assert others_end <= start
        if command[0]["op"] != "read":
            assert reads_end <= start
            others_end = end
            continue
        for c in command:
            assert planes[c["die"], c["plane"]] <= start
            planes[c["die"], c["plane"]] = c["end_ns"]
        reads_end = max(reads_end, end)
