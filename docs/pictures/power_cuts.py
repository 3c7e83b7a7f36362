"""What cuts of power cost four stacks, as stored by `docs.power_cuts`."""

from docs.power_cuts import STACKS, stored

from .canvas import GREEN, INK, RED, Canvas


def power_cuts() -> str:
    """Return the picture: for each stack the pages in flash that all cuts destroyed, restored and lost."""
    found = {stack: [cut for cut in stored() if cut.stack == stack] for stack in STACKS}
    restored = [sum(cut.recovered for cut in found[stack]) for stack in reversed(STACKS)]
    lost = [sum(cut.lost_in_flash for cut in found[stack]) for stack in reversed(STACKS)]
    canvas = Canvas(75, 24)
    axes = canvas.figure.add_axes((0.14, 0.25, 0.83, 0.72), facecolor="#ffffff")
    axes.barh(range(len(STACKS)), restored, color=GREEN, edgecolor=INK, label="restored from a backup")
    axes.barh(range(len(STACKS)), lost, left=restored, color=RED, edgecolor=INK, label="lost")
    axes.set_yticks(range(len(STACKS)), reversed(STACKS))
    axes.set_xlabel(f"Pages in flash destroyed by {len(found[STACKS[0]])} cuts of power")
    axes.set_xlim(0, 1.5 * max(map(sum, zip(restored, lost, strict=True))))  # room for the legend
    axes.legend(fontsize=8)
    return canvas.svg()
