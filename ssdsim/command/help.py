"""The page that `--help` prints, made from `conf/` and `ssdsim/config/`."""

import shutil
import textwrap
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from omegaconf import OmegaConf

from ssdsim.config.keys import keys
from ssdsim.config.registry import AXES, STATIC_ORDERS

from . import COMMAND
from .combinations import KEYS, STACK
from .compose import CONF
from .diagnosis import COMMAND_LINE_DEFAULTS, COMMAND_LINE_KEYS, choices, flatten, groups, without_hydra
from .presets import compose

USAGE = f"""\
Simulate an SSD under a workload; results go to a new folder in results/.

usage: {COMMAND} [-h] [-m | --multirun] [-q | -v] [group=choice ...] [key=value ...]
       {COMMAND} --help [KEY | SECTION | GROUP | GROUP=CHOICE ...]    what there is to know of each
       {COMMAND} --config FOLDER [key=value ...]    the run of a folder again, or that of a YAML file
       {COMMAND} --config FOLDER --allow-imports [...]    the same, and import the classes that it names
       {COMMAND} --combinations [axis axis]    what goes with what, and why not
{textwrap.fill(f"axes: {' '.join((*KEYS, STACK))}", 100, initial_indent=" " * 9, subsequent_indent=" " * 15)}
       {COMMAND} new KIND NAME [--folder FOLDER]    begin a policy of your own, with a test
       {COMMAND} compare [key=value ...]    several systems under the same seeds, with intervals
       {COMMAND} report | timeline | picture FOLDER    pages and pictures of results
       {COMMAND} watch | player [key=value ...]    a run on the screen, or as a page that plays it
       {COMMAND} new | compare | ... --help    what each of these takes
       {COMMAND} --fields [word ...]           what is in the results: units, meanings, where they are null"""

MEANINGS = 44
"""The column that meanings of keys begin in, if there is room before it."""

EXAMPLES = f"""\
Examples
  {COMMAND}
  {COMMAND} hardware=tlc_128g workload.path=prxy_0.csv.xz ftl/gc=cost_benefit host.queue_depth=32 seed=7
  {COMMAND} workload=synthetic workload.rate_iops=5000 workload.read_share=0.7 record=requests
  {COMMAND} --multirun ftl/gc=greedy,rga,fifo hydra.run.dir=results/victims
  {COMMAND} timing=off workload=synthetic workload.requests=1000000 workload.read_share=0"""


def help_text() -> str:
    """Return the page: groups with their choices, keys with their defaults, examples."""
    width = min(shutil.get_terminal_size().columns, 120)
    chosen = compose().hydra.runtime.choices
    parts = [USAGE, "Groups (* is the default)", *(_group(group, chosen) for group in sorted(groups()))]
    parts += ["Policies, by key", "\n".join(_policies(width)), "Keys and their defaults", *_keys(width), EXAMPLES]
    return "\n\n".join(parts)


def describe(group: str, choice: str) -> str:
    """Return the first comment line of a preset."""
    return next(iter(comments(group, choice)), "")


def comments(group: str, choice: str) -> list[str]:
    """Return the comment that a preset begins with, line by line."""
    path = CONF / group / f"{choice}.yaml"
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    # "# @package" is meant for Hydra
    return [line.removeprefix("#").strip() for line in lines if line.startswith("#") and not line.startswith("# @")]


def _group(group: str, chosen: Any) -> str:
    lines = [f"  {group}"]
    for choice in choices(group):
        mark = "*" if chosen.get(group) == choice else " "
        lines.append(f"  {mark} {choice:<13} {describe(group, choice)}")
    return "\n".join(lines)


def _policies(width: int) -> Iterator[str]:
    """Yield a paragraph an axis: its key, and the names that it takes."""
    for key, axis in AXES.items():
        names = [name for name in axis.named if name not in STATIC_ORDERS]  # one line stands for all orders
        orders = ["CWDP (or another order of channel, way, die and plane)"] if len(names) < len(axis.named) else []
        shown = f"  {key}=" + "|".join([*orders, *names, *(["module.Class"] if axis.own else [])])
        yield textwrap.fill(shown.replace("|", " | "), width, subsequent_indent="    ")


def _keys(width: int) -> Iterator[str]:
    """Yield a paragraph a section: the plain keys first, then those of each group, then those of each workload.

    Of a workload there is what has not been told of the ones before.
    """
    sections: dict[str, list[tuple[str, Any]]] = defaultdict(list)
    for key, value in _leaves([]):
        sections[key.partition(".")[0] if "." in key else ""].append((key, value))
    sections[""] += COMMAND_LINE_DEFAULTS.items()
    del sections["workload"]  # each kind of workload has a section of its own below
    for choice in choices("workload"):
        of_choice = _leaves([f"workload={choice}"])
        sections[f"workload={choice}"] = [(key, value) for key, value in of_choice if key.startswith("workload.")]
    said = {key.name: key.meaning for key in keys()} | COMMAND_LINE_KEYS
    told: set[tuple[str, str]] = set()
    for name, leaves in sections.items():
        indent = "    " if name else "  "
        # with its value: a default that differs is told again
        new = [(key, value) for key, value in leaves if (key, shown(value)) not in told]
        lines = [told_of(key, value, said.get(key, ""), indent, width) for key, value in new]
        told |= {(key, shown(value)) for key, value in new}
        yield "\n".join([f"  {name}", *lines] if name else lines)


def told_of(key: str, value: Any, meaning: str, indent: str, width: int) -> str:
    """Return a line of key, default and the first words of what it means."""
    given = f"{indent}{key}={shown(value)}"
    room = width - max(len(given) + 2, MEANINGS)
    words = shortened(meaning, room) if room > 20 else ""  # fewer characters than 20 say nothing
    return f"{given + '  ':{MEANINGS}}{words}".rstrip()


def shortened(text: str, room: int) -> str:
    """Return the first words of `text`, as many as there is room for."""
    return textwrap.shorten(text, room, placeholder=" ...", break_on_hyphens=False)


def _leaves(overrides: list[str]) -> Iterator[tuple[str, Any]]:
    tree: Any = OmegaConf.to_container(without_hydra(compose(*overrides)), resolve=True)
    return flatten(tree)


def shown(value: Any) -> str:
    """Return a value as one would write it in an override."""
    if isinstance(value, float):
        return f"{value:.12g}"  # 12 digits: 0.1 + 0.2 is 0.3
    if isinstance(value, list):
        return f"[{','.join(map(shown, value))}]"
    return "null" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
