"""A die of several planes whose every time can be added up, and random loads for it."""

from hypothesis import strategies as st

from support.tiny_device import ERASE, ERASE_COMMAND, PAGE, PROGRAM, PROGRAM_COMMAND, READ, READ_COMMAND

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


@st.composite
def loads(draw, blocks_per_plane=8):
    """Draw a die, its rules and requests that fill and overwrite it."""
    planes = draw(st.sampled_from([2, 4]))
    changes = device(
        planes,
        draw(st.lists(st.sampled_from(ALL), unique=True)),
        draw(st.sampled_from([None, 1, 2])),
        draw(st.booleans()),
        chips_per_channel=draw(st.integers(1, 2)),
        blocks_per_plane=blocks_per_plane,
    )
    changes["ftl"]["plane_allocation"] = draw(st.sampled_from(["PCWD", "round_robin"]))
    ops = st.tuples(st.sampled_from(["write", "write", "read"]), st.integers(0, 15), st.integers(1, 4))
    drawn = draw(st.lists(ops, min_size=20, max_size=150))
    step = draw(st.sampled_from([0, 1000, 60_000]))
    return [(i * step, op, page * PAGE, pages * PAGE) for i, (op, page, pages) in enumerate(drawn)], changes
