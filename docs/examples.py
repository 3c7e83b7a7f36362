"""Runs every example of the pages: `python -m docs.examples [PAGE ...]`.

The fenced blocks of a page are run in order, each page in a fresh folder and process of its own. Of ```console every
line is a command, which must end with status 0; ```python is executed, with what earlier blocks of its page have left.
A block with a title that is the name of a file is written to that file instead. A block that cannot run here is marked
in its source, and its title tells the reader why: ```{.console .elsewhere title="Needs a Slurm cluster"}; it is listed.
A block of another language than `SHOWN` is refused, so that none is forgotten.

A block to be read, such as ```text, shows what the block before it that was run has printed, and is compared with that:
`...` stands for anything, as what is left out or differs from machine to machine; how many spaces, ends of lines and
dashes of a rule follow each other does not matter. A block that is no output has a title that says what it is.
"""

import contextlib
import doctest
import io
import os
import re
import subprocess
import sys
import tempfile
import traceback
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from attrs import frozen
from markdown_it import MarkdownIt

PROJECT = Path(__file__).parents[1]
PAGES = sorted((PROJECT / "docs" / "pages").rglob("*.md"))
"""The README's examples are run by `tests/test_readme.py`."""

SHOWN = ("text", "yaml", "json", "csv")
"""Languages of blocks that are only to be read, unless they are files."""

LONGEST_S = 60
COLUMNS = "110"
"""How wide the terminal is that commands are run in."""


@frozen
class Block:
    """A fenced block of a page, by the line that it begins at."""

    line: int
    language: str
    text: str
    title: str = ""
    elsewhere: bool = False

    @property
    def is_file(self) -> bool:
        """Whether the reader is to write it to a file, which its title names."""
        return bool(re.fullmatch(r"[\w./-]+\.\w+", self.title))


class WrongPageError(Exception):
    """An example does not work, or is not marked as it must be."""


def blocks(text: str) -> list[Block]:
    """Return the fenced blocks of a page."""
    return [
        read(token.map[0] + 1, token.info, token.content)
        for token in MarkdownIt().parse(text)
        if token.type == "fence" and token.map
    ]


def read(line: int, info: str, content: str) -> Block:
    """Return a block, whose fence says `info` behind its ticks."""
    title = re.search(r'title="([^"]*)"', info)
    words = re.sub(r'\w+="[^"]*"', "", info).strip("{} ").replace(".", " ").split()
    return Block(line, words[0] if words else "", content, title[1] if title else "", "elsewhere" in words)


def run(page: Path) -> tuple[str, list[str], str]:
    """Run the blocks of a page; return what was run in words, the blocks that cannot run here, and what went wrong."""
    done, elsewhere, names, printed = 0, list[str](), {"__name__": "__main__"}, None
    place = page.relative_to(PROJECT).as_posix() if page.is_relative_to(PROJECT) else str(page)
    found = blocks(page.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        sys.path.insert(0, folder)
        for block in found:
            where = f"{place}:{block.line}"
            try:
                if block.elsewhere:
                    elsewhere.append(f"{where}: {told(block)}")
                    printed = None
                elif block.is_file:
                    write(block)
                elif block.language in SHOWN:
                    check_output(block, printed)
                else:
                    count, printed = execute(block, names)
                    done += count
            except (Exception, SystemExit) as error:
                said = str(error) if isinstance(error, WrongPageError) else traceback.format_exc()
                return f"{place}: {done} run", elsewhere, f"{where}: {said}"
            finally:
                os.chdir(folder)
        os.chdir(PROJECT)
    return f"{place}: {done} run", elsewhere, ""


def told(block: Block) -> str:
    """Return why a block cannot run here, as the reader is told."""
    if not block.title:
        raise WrongPageError('a block that is run .elsewhere needs title="..." that says why')
    return block.title


def write(block: Block) -> None:
    """Write a block to the file that its title names."""
    Path(block.title).parent.mkdir(parents=True, exist_ok=True)
    Path(block.title).write_text(block.text, encoding="utf-8")


def check_output(block: Block, printed: str | None) -> None:
    """Raise if a block shows another output than what was printed before it."""
    if block.title:
        return
    if printed is None:
        raise WrongPageError('nothing was run before whose output this could be; title="..." says what it is')
    shown, found = (re.sub("─+", "─", text) for text in (block.text, printed))
    if not doctest.OutputChecker().check_output(shown, found, doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE):
        raise WrongPageError(f"this is shown:\n{block.text}\nand this was printed:\n{printed}")


def execute(block: Block, names: dict[str, str]) -> tuple[int, str]:
    """Run a block; return how many commands or pieces of Python that were, and what they printed."""
    if block.language == "python":
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            exec(compile(block.text, f"line {block.line}", "exec"), names)
        return 1, out.getvalue()
    if block.language == "console":
        commands = block.text.replace("\\\n", " ").strip().splitlines()
        return len(commands), "".join([command_line(command) for command in commands])
    raise WrongPageError(f"language {block.language!r}; must be console, python or one of {', '.join(SHOWN)}")


def command_line(command: str) -> str:
    """Run a command as in a shell in which the clone's environment is active; return what it printed."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    given = {"PATH": path, "PYTHONPATH": str(PROJECT), "MPLBACKEND": "agg", "COLUMNS": COLUMNS}
    options = {"text": True, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "timeout": LONGEST_S}
    ended = subprocess.run(["bash", "-euo", "pipefail", "-c", command], env=os.environ | given, **options)
    if ended.returncode:
        raise WrongPageError(f"{command}\nended with status {ended.returncode}:\n{ended.stdout}")
    return ended.stdout


def main(argv: list[str]) -> int:
    """Run the pages given, or all; return 1 if an example does not work."""
    pages = [Path(each).resolve() for each in argv] or PAGES
    failed = False
    listed: list[str] = []
    with ProcessPoolExecutor(os.cpu_count(), get_context("spawn"), max_tasks_per_child=1) as pool:
        for done, elsewhere, wrong in pool.map(run, pages):
            print(done)
            listed += elsewhere
            if wrong:
                failed = True
                print(wrong)
    print(f"{len(listed)} blocks are not run here:", *listed, sep="\n  ")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
