"""What mkdocs calls: adds what is made of declarations, of runs and of stored results, and the notebooks."""

import re
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

sys.path.insert(0, str(Path(__file__).parents[1]))

from docs.notebooks import NOTEBOOKS, WrongNotebookError, run_all
from docs.pictures import PICTURES
from docs.players import PLAYERS
from docs.reference import PAGES
from docs.stored import FILES, results_page

PROJECT = Path(__file__).parents[1]

FETCHED = re.compile(
    r'<(?:script|link[^>]* rel="(?:stylesheet|preconnect|preload)")[^>]* (?:src|href)="https?://[^"]*"'
)
"""What would have a page fetch something from elsewhere when it is opened."""


def on_post_page(output: str, page: Any, config: Any) -> str:
    """Refuse a page that fetches something from elsewhere: it is read from a folder and without a network, too."""
    if found := FETCHED.search(output):
        raise PluginError(f"{page.file.src_uri}: fetches what it needs from elsewhere: {found[0]}")
    return output


def on_files(files: Files, config: Any) -> Files:
    """Add every generated page, picture and player, the stored results, and the notebooks, which are run for that."""
    made: dict[str, Callable[[], str]] = {f"reference/{name}.md": page for name, page in PAGES.items()}
    made |= {f"pictures/{name}.svg": picture for name, picture in PICTURES.items()}
    made |= {f"players/{name}.html": player for name, player in PLAYERS.items()}
    made |= {f"papers/results/{results.stem}.md": partial(results_page, results) for results in FILES}
    for place, make in made.items():
        files.append(File.generated(config, place, content=make()))
    for drawn in (PROJECT / "experiments" / "pictures").glob("*.png"):
        files.append(File.generated(config, f"pictures/{drawn.name}", abs_src_path=str(drawn)))
    for file in notebooks(config):
        files.append(file)
    return files


def notebooks(config: Any) -> list[File]:
    """Return the pages of the notebooks, their figures, and the notebooks themselves."""
    made = []
    try:
        for run in run_all(NOTEBOOKS):
            text, figures = run.page()
            made.append(File.generated(config, f"course/{run.path.stem}.md", content=text))
            made.append(File.generated(config, f"course/{run.path.name}", abs_src_path=str(run.path)))
            made += [File.generated(config, f"course/{name}", content=data) for name, data in figures.items()]
    except WrongNotebookError as error:
        raise PluginError(str(error)) from None
    return made
