"""A picture of a sweep: any field over any key that was swept, lines by another, with intervals over the seeds.

Fields are those of summary.json by their dotted names, which `fields` explains; keys are those
of the overrides, as in --y write_amplification --x hardware.over_provisioning --lines ftl/gc. Keys of numbers make
lines, others groups of points. A folder of a comparison or a study goes, too: its keys are what differs among its runs.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ssdsim.errors import InputError
from ssdsim.metrics.result import needed
from ssdsim.metrics.sweep import Sweep
from ssdsim.report.sweep import Lines, View, chosen, every, field_of, is_numeric, key_of, left_out, points

from . import failures, parser

FORMATS = ("png", "svg", "pdf")


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw the picture, say where it is, and return 0, or 2 if it cannot be drawn of what is there."""
    made = parser("picture", __doc__)
    made.add_argument("folder", type=Path, help="the folder of a sweep")
    made.add_argument("--y", required=True, metavar="FIELD", help="what is drawn")
    made.add_argument("--x", required=True, metavar="KEY", help="over what")
    made.add_argument("--lines", metavar="KEY", help="a line for each of its values")
    made.add_argument("--panels", metavar="KEY", help="a panel for each of its values")
    made.add_argument("--where", nargs="+", action="extend", default=[], metavar="KEY=VALUE", help="only these runs")
    made.add_argument("--log", choices=("x", "y", "xy"), default="", help="logarithmic axes")
    made.add_argument("--output", type=Path, metavar="FILE", help=f"{', '.join(FORMATS)} (default: in the folder)")
    given = made.parse_args(arguments)
    return failures.guarded(lambda: _draw(given))


def _draw(given: argparse.Namespace) -> int:
    sweep = Sweep.load(given.folder)
    y, x = field_of(sweep, given.y), key_of(sweep, given.x)
    others = [name and key_of(sweep, name) for name in (given.lines, given.panels)]
    view = View(y, x, *others)
    if len(set(view.keys)) < len(view.keys):
        raise InputError(f"--x, --lines and --panels must be keys of their own, and not twice {x}.")
    sweep = chosen(sweep, given.where)
    panels = points(sweep, view)
    _check_logarithms(panels, given.log)
    path = given.output or given.folder / f"{y}_over_{x.replace('/', '.')}.png"
    if path.suffix.removeprefix(".") not in FORMATS:
        raise InputError(f"--output {path}: must end with one of {', '.join(f'.{suffix}' for suffix in FORMATS)}.")
    needed("matplotlib")
    from ssdsim.report.sweep_plot import picture  # imports matplotlib, which may be missing

    remark = left_out(sweep, view)
    picture(sweep, view, path, given.log, remark)
    if remark:
        print(remark, file=sys.stderr)
    print(path)
    return 0


def _check_logarithms(panels: dict[Any, Lines], log: str) -> None:
    """Raise InputError if an axis that is to be logarithmic holds words, or numbers that have no logarithm."""
    if "x" in log and not is_numeric(panels):
        raise InputError(f"--log {log}: words have no logarithm; the x axis must be one of numbers.")
    values = [value for point in every(panels) for value in ([point.x] * ("x" in log) + [point.mean] * ("y" in log))]
    if values and min(values) <= 0:  # means alone: an interval may reach below 0
        raise InputError(f"--log {log}: {min(values):g} has no logarithm; leave --log out.")
