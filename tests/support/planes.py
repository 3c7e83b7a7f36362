"""A die of several planes whose every time can be added up."""

from support.tiny_device import ERASE, ERASE_COMMAND, PROGRAM, PROGRAM_COMMAND, READ, READ_COMMAND

COMMAND = {"read": READ_COMMAND, "program": PROGRAM_COMMAND, "erase": ERASE_COMMAND}
ARRAY = {"read": READ, "program": PROGRAM, "erase": ERASE}
LATER = 1_000_000
ALL = ["read", "program", "erase"]


def device(planes=2, multi_plane=ALL, groups=None, bac=False, **hardware):
    """Return changes that make a die of several planes, which consecutive logical pages take in turn."""
    return {
        "hardware": {"planes_per_die": planes, **hardware},
        "flash": {"multi_plane": multi_plane, "plane_groups": groups},
        "ftl": {"plane_allocation": "PCWD", "bac": bac},
    }
