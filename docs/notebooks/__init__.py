"""The notebooks of the course: run in kernels of their own, and made into pages of the site with what they show.

Each is `NN_name.ipynb`, kept without outputs; `solutions/name.py` has an `exercise_1()`, ... for each of its exercises.
The metadata of a cell that draws have as `alt` what its figure shows, for whoever cannot see it.
`python -m docs.notebooks [NOTEBOOK ...]` runs them.
"""

import os
import re
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from attrs import frozen

FOLDER = Path(__file__).parent
PROJECT = FOLDER.parents[1]
NOTEBOOKS = sorted(FOLDER.glob("[0-9][0-9]_*.ipynb"))

LONGEST_S = 120
"""A cell that takes longer is stopped."""

KERNEL = ["--InlineBackend.figure_formats=svg", "--IPKernelApp.log_level=ERROR"]
"""Figures are to be as sharp as the text around them; what a kernel warns of is not about the notebook."""


class WrongNotebookError(Exception):
    """A cell of a notebook does not work."""


@frozen
class Run:
    """A notebook that was run: its cells with their outputs, as `nbformat` has them, and how long that took."""

    path: Path
    notebook: Any
    seconds: float

    def page(self) -> tuple[str, dict[str, bytes]]:
        """Return it as a Markdown page, and the figures on that by file name.

        Its links lead to the sources of other pages and notebooks, and to where these are on the site in the page.
        """
        from nbconvert import MarkdownExporter

        text, made = MarkdownExporter().from_notebook_node(
            self.notebook, resources={"output_files_dir": ".", "unique_key": self.path.stem}
        )
        text = re.sub(r"!\[\w+\]\((?:\./)?(.*?_(\d+)_\d+\.\w+)\)", self._figure, text)
        text = re.sub(r"\]\((\d\d_\w+)\.ipynb", r"](\1.md", text.replace("](../pages/", "](../"))
        title, rest = text.lstrip().split("\n", 1)
        link = f'[Download this notebook]({self.path.name}){{ .md-button download="{self.path.name}" }}'
        return f"{title}\n\n{link}\n{rest}", {place.removeprefix("./"): of for place, of in made["outputs"].items()}

    def _figure(self, found: re.Match[str]) -> str:
        """Return the Markdown of a figure, which its file's name says the cell of, with what that cell's `alt` says."""
        return f"![{self.notebook.cells[int(found[2])].metadata['alt']}]({found[1]})"


def run(path: Path) -> Run:
    """Run the cells of a notebook, in a fresh folder and with a kernel of this Python.

    Raise `WrongNotebookError` with the notebook, the cell, its source and its error if one fails.
    """
    import nbformat
    from nbclient import NotebookClient
    from nbclient.exceptions import CellControlSignal, DeadKernelError

    began = time.perf_counter()
    notebook = nbformat.read(path, as_version=4)
    paths = os.pathsep.join(filter(None, [str(PROJECT), os.environ.get("PYTHONPATH")]))
    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(notebook, timeout=LONGEST_S, extra_arguments=KERNEL, coalesce_streams=True)
        with client.setup_kernel(cwd=folder, env=os.environ | {"PYTHONPATH": paths}):
            for number, cell in enumerate(notebook.cells, 1):
                try:
                    client.execute_cell(cell, number - 1)
                except (CellControlSignal, DeadKernelError) as error:
                    said = re.sub(r"\x1b\[[\d;]*m", "", str(error))
                    raise WrongNotebookError(f"{path.name}, cell {number}: {said}") from None
    return Run(path, notebook, time.perf_counter() - began)


def run_all(paths: list[Path]) -> Iterator[Run]:
    """Run notebooks on every core, and yield them in order."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        yield from pool.map(run, paths)
