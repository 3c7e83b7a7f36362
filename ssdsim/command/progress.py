"""How far a run is: a bar on a terminal, a line at its start and end elsewhere."""

import sys
import time
from types import TracebackType
from typing import Any, Self, TextIO

from ssdsim.run.progress import Bar


class Progress:
    """The `progress` of `simulate`, as a context manager; `title` says what is being run, or nothing is shown."""

    def __init__(self, title: str | None, stream: TextIO | None = None) -> None:
        self._title = title
        self._stream = stream or sys.stderr
        self._bar = Bar(self._stream)
        self._started = time.monotonic()

    def __enter__(self) -> Self:
        self._tell(self._title)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._bar.close()
        if kind is None and not self._stream.isatty():  # a bar, or an error, has told enough
            self._tell(f"Done after {time.monotonic() - self._started:.1f} s.")

    def _tell(self, line: str | None) -> None:
        if self._title is not None:
            print(line, file=self._stream, flush=True)

    def update(self, snapshot: Any) -> None:
        """Show the state of the run on a terminal."""
        if self._title is not None and self._stream.isatty():
            self._bar.update(snapshot)
