"""How far a run is: a bar on a terminal, a line at its start and end elsewhere."""

import sys
import time
from types import TracebackType
from typing import Any, Self, TextIO

from tqdm import tqdm

BAR = "{percentage:3.0f}%|{bar:12}| {remaining} left, {desc}"
NO_END = "{elapsed} so far, {desc}"


class Progress:
    """The `progress` of `simulate`, as a context manager; `title` says what is being run."""

    def __init__(self, title: str, stream: TextIO | None = None) -> None:
        self._title = title
        self._stream = stream or sys.stderr
        self._bar: tqdm | None = None
        self._phase = ""
        self._started = time.monotonic()

    def __enter__(self) -> Self:
        print(self._title, file=self._stream, flush=True)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._close()
        if kind is None and not self._stream.isatty():
            print(f"Done after {time.monotonic() - self._started:.1f} s.", file=self._stream, flush=True)

    def update(self, snapshot: Any) -> None:
        """Show the state of the run; a snapshot without a `fraction` is of a run whose end is not known."""
        if not self._stream.isatty():
            return
        if self._bar is None or snapshot.phase != self._phase:
            self._open(snapshot)
        assert self._bar is not None
        self._bar.set_description_str(_state(snapshot), refresh=False)
        self._bar.update((snapshot.fraction or 0) - self._bar.n)

    def _open(self, snapshot: Any) -> None:
        self._close()
        self._phase = snapshot.phase
        ends = snapshot.fraction is not None
        self._bar = tqdm(
            desc=snapshot.phase,
            total=1.0 if ends else None,
            mininterval=0,
            miniters=0,
            bar_format=BAR if ends else NO_END,
            file=self._stream,
            leave=False,
            dynamic_ncols=True,
        )

    def _close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None


def _state(snapshot: Any) -> str:
    total = f"/{snapshot.requests_total:,}" if snapshot.requests_total else ""
    return (
        f"{snapshot.phase} {snapshot.requests_done:,}{total} requests, {snapshot.simulated_ns / 1e9:.1f} s simulated, "
        f"{snapshot.iops:,.0f} IOPS, WA {snapshot.write_amplification:.2f}"
    )
