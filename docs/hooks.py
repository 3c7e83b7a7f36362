"""What mkdocs calls: adds the pages and pictures that are made of the simulator's declarations and stored results."""

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

sys.path.insert(0, str(Path(__file__).parents[1]))

from docs.pictures import PICTURES
from docs.reference import PAGES

PROJECT = Path(__file__).parents[1]


def on_files(files: Files, config: Any) -> Files:
    """Add every generated page and picture, and the stored results of the papers' experiments."""
    made: dict[str, Callable[[], str]] = {f"reference/{name}.md": page for name, page in PAGES.items()}
    made |= {f"pictures/{name}.svg": picture for name, picture in PICTURES.items()}
    for results in sorted((PROJECT / "experiments" / "papers").glob("*/RESULTS.md")):
        made[f"papers/results/{results.parent.name}.md"] = partial(results.read_text, encoding="utf-8")
    for place, make in made.items():
        files.append(File.generated(config, place, content=make()))
    for drawn in (PROJECT / "experiments" / "pictures").glob("*.png"):
        files.append(File.generated(config, f"pictures/{drawn.name}", abs_src_path=str(drawn)))
    return files
