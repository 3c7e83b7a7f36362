"""The screen as a picture."""

import re
from typing import Any

from .app import WatchApp

FONTS = re.compile(r"@font-face\s*{[^}]*}\s*")
"""Which would be fetched from elsewhere; without them it is the reader's own font."""


def screenshot(app: WatchApp, columns: int, lines: int) -> str:
    """Return the picture of `app` on a screen of so many characters, as SVG."""
    taken = []

    async def take(pilot: Any) -> None:
        await pilot.pause()  # until the panels are drawn
        taken.append(FONTS.sub("", app.export_screenshot(title="A simulated SSD")))
        app.exit()

    app.run(headless=True, size=(columns, lines), auto_pilot=take)
    return taken[0]
