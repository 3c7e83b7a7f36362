"""A browser without a network that opens pages."""

import shutil
import subprocess

import pytest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium to open the page with")


def drawn(path, folder, fragment=""):
    """Return the page at `path` as the browser has it, which must have nothing to say; it keeps its own in `folder`."""
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", f"--user-data-dir={folder}"]
    options += ["--host-resolver-rules=MAP * ~NOTFOUND", "--virtual-time-budget=10000", "--dump-dom"]
    place = f"{path.absolute().as_uri()}{fragment}"
    done = subprocess.run([CHROMIUM, *options, place], capture_output=True, text=True, check=True)
    assert "CONSOLE" not in done.stderr
    return done.stdout
