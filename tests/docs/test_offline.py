"""The pages from a folder and without a network: nothing is fetched, and the search works."""

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PAGES = Path(__file__).parents[2] / "docs" / "pages"
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
SETTINGS = """\
site_name: pages
theme: {name: material, font: false}
extra: {polyfills: [iframe-worker.js]}
plugins: [search, offline]
"""


@pytest.mark.skipif(importlib.util.find_spec("material") is None, reason="mkdocs-material is not installed")
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")
def test_the_search_finds_pages_in_a_folder_without_a_network(tmp_path):
    settings = (PAGES.parent / "mkdocs.yml").read_text(encoding="utf-8")
    assert "polyfills: [iframe-worker.js]" in settings and "- offline" in settings and "font: false" in settings
    (tmp_path / "docs").mkdir()
    shutil.copy(PAGES / "iframe-worker.js", tmp_path / "docs")
    (tmp_path / "docs" / "index.md").write_text("# Start\n\nNothing of it.\n")
    (tmp_path / "docs" / "wear.md").write_text("# Wear\n\nAn erase wears a block.\n")
    (tmp_path / "mkdocs.yml").write_text(SETTINGS)
    subprocess.run([sys.executable, "-m", "mkdocs", "build", "-q"], cwd=tmp_path, check=True)
    page = f"{(tmp_path / 'site' / 'index.html').as_uri()}?q=erase"
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--host-resolver-rules=MAP * ~NOTFOUND"]
    shown = subprocess.run(
        [CHROMIUM, *options, f"--user-data-dir={tmp_path}/user", "--virtual-time-budget=8000", "--dump-dom", page],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "1 matching document" in shown and "site/wear.html" in shown
