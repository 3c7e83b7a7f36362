"""The server: listens at an address, and has its clients share a drive."""

import asyncio
import os
from collections.abc import Callable
from math import ceil
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ssdsim.errors import ConfigError, InputError

from .address import Address
from .data import Data
from .handshake import Export
from .journal import Journal
from .pace import PATIENCE_NS, Pace
from .session import Session

TOLD_SLOWDOWN = 1.05
"""How many times slower than asked time has to run to be told of."""

TOLD_EVERY_S = 10
"""How often it is told at most."""


class Server:
    """Serves `drive`, whose clock is `env` and whose bytes are in `data`, to any number of clients.

    `preferred` is the size in bytes that the drive is best written in, `slow` the factor by which time runs slower than
    the wall's. What users are to know meanwhile is told to `tell`, a sentence at a time.
    """

    def __init__(
        self,
        env: Any,
        drive: Any,
        data: Data,
        preferred: int,
        slow: float = 1.0,
        tell: Callable[[str], object] = print,
    ):
        self.env, self.drive, self.data, self.slow, self.tell = env, drive, data, slow, tell
        self.export = Export(drive.size_bytes, preferred)
        self.sessions: dict[Session, None] = {}  # oldest first
        self.stopping = asyncio.Event()
        self.failure: BaseException | None = None
        self.pace: Pace
        self.journal = Journal(data) if drive.config.integrity == "on" else None
        self.uri = ""

    async def run(self, address: Address, ready: Callable[[], object] = lambda: None) -> None:
        """Listen at `address` until `stopping` is set, and all that is under way then is done.

        `ready` is called when clients can come, who want `uri`. Raise InputError where one cannot listen there.
        """
        self.pace = Pace(self.env, self.drive, self.slow)
        if self.journal is not None:
            self.pace.flushed = self.journal.flushed
        asyncio.get_running_loop().set_exception_handler(self.fail)
        server = await self.listen(address)
        self.tell(f"Serving {self.export.size:,} bytes at {self.uri}, time at 1/{self.slow:g} of the wall's.")
        watch = asyncio.create_task(self.watch())
        try:
            ready()
            await self.stopping.wait()
        finally:
            watch.cancel()
            server.close()
            if address.path:
                Path(address.path).unlink(missing_ok=True)
            for session in [*self.sessions]:
                session.end()
            while self.sessions and self.failure is None:
                await asyncio.sleep(0.01)
            self.drop_all()
            self.pace.end()
            self.tell(self.told())
        if self.failure is not None:
            raise self.failure

    def stop(self) -> None:
        """End when all that is under way is done; called once more, end now."""
        if self.stopping.is_set():
            self.drop_all()
        self.stopping.set()

    def drop_all(self) -> None:
        """Drop all clients."""
        for session in self.sessions:
            session.transport.abort()

    def fail(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """End with the error of a callback, such as that of a drive in disorder; where `accept` fails, go on."""
        if "socket" in context:  # asyncio tries again after a second
            return
        self.failure = context.get("exception") or RuntimeError(context["message"])
        self.stopping.set()

    async def listen(self, address: Address) -> asyncio.Server:
        """Begin to listen."""
        loop = asyncio.get_running_loop()
        try:
            if not address.path:
                server = await loop.create_server(self.session, address.host, address.port)
                host, port = server.sockets[0].getsockname()[:2]
                self.uri = f"nbd://[{host}]:{port}" if ":" in host else f"nbd://{host}:{port}"
                return server
            if os.path.lexists(address.path):  # asyncio would take the place of another server's
                raise InputError(f"--listen unix:{address.path}: is there already; remove it, or take another path.")
            before = os.umask(0o177)  # nobody else may connect
            try:
                server = await loop.create_unix_server(self.session, address.path)
            finally:
                os.umask(before)
            self.uri = f"nbd+unix:///?socket={quote(address.path)}"
        except OSError as error:
            where = f"unix:{address.path}" if address.path else f"{address.host}:{address.port}"
            raise InputError(f"--listen {where}: cannot be listened at: {error.strerror or error}.") from None
        return server

    def session(self) -> Session:
        """Return the session of a client that connects."""
        note = None if self.journal is None else self.note
        return Session(self.export, self.data, self.pace.perform, self.tell, self.sessions, note)

    def note(self, offset: int, size: int, is_trim: bool) -> None:
        """Note in the journal a change that the next operation makes."""
        assert self.journal is not None
        self.journal.note(self.pace.handed, offset, size, is_trim)

    def cut_power(self) -> None:
        """Cut the drive's power: clients are dropped, and the data is as the drive holds it when it has booted."""
        pace, drive = self.pace, self.drive
        pace.run_to_present()
        cut_ns = self.env.now
        try:
            if self.journal is None:
                raise ConfigError("integrity=off: must be on for a drive whose power is cut.")
            ready = drive.cut_power()
        except ConfigError as error:
            self.tell(f"{error} The power stays on.")
            return
        self.drop_all()
        last = drive.streams["main"].stream.admitted - 1
        restored = self.journal.power_lost(drive.writer_of, last)
        lost, page_bytes = drive.simulation.lost_pages, drive.config.hardware.page_bytes
        for page in lost:
            self.data.damage(page * page_bytes, page_bytes)
        for change in self.journal.changes:  # that are still to come
            self.data.mend(change.offset, len(change.before))
        unreadable = f" {len(lost):,} pages in flash were destroyed, and cannot be read." if lost else ""
        self.tell(f"The power was cut; {restored:,} sectors are as before a write or trim that is lost.{unreadable}")
        ready.callbacks.append(
            lambda _: self.tell(f"The drive is ready again after {(self.env.now - cut_ns) / 1e6:,.3f} ms.")
        )
        pace.plan()

    async def watch(self) -> None:
        """Tell by how much time is slowed, now and then, while it is."""
        pace = self.pace
        while True:
            busy_ns, stood_ns = pace.busy_ns(), pace.stood_ns
            await asyncio.sleep(1)
            slowdown = slowed(pace.busy_ns() - busy_ns, pace.stood_ns - stood_ns)
            if slowdown > TOLD_SLOWDOWN:
                wanted = ceil(self.slow * slowdown * 1.1)  # which leaves room for what is quicker then
                self.tell(f"Time runs {slowdown:.2f} times slower than asked: --slow {wanted} would be kept.")
                await asyncio.sleep(TOLD_EVERY_S)

    def told(self) -> str:
        """Return a sentence on how well time was kept."""
        pace = self.pace
        p50, p99 = (ns / 1000 for ns in pace.lateness.percentiles((0.5, 0.99)))
        slowdown = slowed(pace.busy_ns(), pace.stood_ns)
        return (
            f"Of {pace.lateness.count:,} requests half were complete within {p50:,.0f} us of their time, 99 % within "
            f"{p99:,.0f} us, all within {pace.lateness.largest / 1000:,.0f} us; where simulation was later than "
            f"{PATIENCE_NS / 1000:,.0f} us, time stood still, {pace.stood_ns / 1e9:,.3f} s in all: it ran "
            f"{slowdown:.3f} times slower than asked while requests were under way."
        )


def slowed(busy_ns: int, stood_ns: int) -> float:
    """Return how many times slower than asked time ran, if of `busy_ns` it stood still for `stood_ns`."""
    return busy_ns / (busy_ns - stood_ns) if 0 < stood_ns < busy_ns else 1.0
