"""Courses of a host's steps as scripts: written down, run again, and cut down to what a failure needs."""

import re
import sys

import attrs

from ssdsim.command.from_python import spelled
from support.host import Host
from support.tiny_stacks import TINY, chosen


@attrs.frozen
class Drawn:
    """A device: its configuration, and the stack and other values by key that make it, on top of those of `TINY`."""

    config: object
    stack: str
    changes: dict

    def _repr_pretty_(self, printer, cycle):
        """Show it short where a test has drawn it."""
        printer.text(self.stack)

    def overrides(self):
        """Return what the command line and `preset` make the configuration of, each key once."""
        changes = {"power_loss.at_s": 9e6, **self.changes}
        given = [*chosen(self.stack)[1:], *(each for each in TINY if each.partition("=")[0] not in changes)]
        return [*given, *(f"{key}={spelled(value)}" for key, value in changes.items())]


def script(drawn, steps):
    """Return a script that takes these steps on this device."""
    device = "".join(f'    "{each}",\n' for each in drawn.overrides())
    calls = (f"{name}({', '.join(f'{key}={value!r}' for key, value in given.items())})" for name, given in steps)
    return (
        '"""Run with PYTHONPATH=tests, in the folder of the project."""\n\n'
        "from ssdsim import preset\n"
        "from support.host import Host\n\n"
        f'host = Host(preset(\n    "{drawn.stack}",\n{device}))\n'
    ) + "".join(f"host.{call}\n" for call in calls)


def failure(config, steps, modules=sys.modules):
    """Take these steps, and return the kind of the failure in which they end, or None."""
    host = Host(config, modules)
    try:
        for name, given in steps:
            getattr(host, name)(**given)
    except Exception as error:
        return kind_of(error)
    return None


def kind_of(error):
    """Return what tells a failure from others: its class and its words, but no numbers."""
    return type(error).__name__, re.sub(r"\d+", "0", str(error).splitlines()[0] if str(error) else "")


def shortened(config, steps, wanted, modules=sys.modules):
    """Return `steps` without those that it does not take to end in the `wanted` failure: many at a time, then each."""
    before = None
    while before != len(steps):
        size = before = len(steps)
        while size := size // 2:
            place = 0
            while place < len(steps):
                fewer = steps[:place] + steps[place + size :]
                if failure(config, fewer, modules) == wanted:
                    steps = fewer
                else:
                    place += size
    return steps
