"""The screen of `python -m experiments watch`, as it is."""

from ssdsim.command.watch.__main__ import watched_run
from ssdsim.command.watch.app import WatchApp, screenshot
from ssdsim.command.watch.session import course, followed

OPENED = 5
"""The block whose pages are shown."""


def shown(columns: int, lines: int, *places: str, opened: int | None = None) -> str:
    """Return the picture of a run that went to `places`, one after the other."""
    session = watched_run([])
    said = ""
    for place in places:
        said = followed(course(session, place))
    return screenshot(WatchApp(session, opened, said), columns, lines)


def watch() -> str:
    """Return the picture of a collection that has begun."""
    return shown(120, 36, "request=1500", "collection")


def watch_pages() -> str:
    """Return the picture of a read that waits, in a small terminal, and of the pages of a block."""
    return shown(80, 24, "request=1400", "wait=1000", opened=OPENED)
