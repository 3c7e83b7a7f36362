"""A client's connection: it agrees with it, takes its commands, and replies as the drive completes them."""

import asyncio
from collections.abc import Callable, Generator
from typing import Any, cast

import attrs

from ssdsim.errors import printable

from . import protocol as nbd
from .data import Data
from .handshake import Export, handshake
from .protocol import ProtocolError

MOST_COMMANDS = 256
"""Commands of a connection that are under way at most; it is not read on while there are as many."""

MOST_BYTES = 1 << 26
"""The bytes that these read and write, from which on no more is read."""

MOST_SESSIONS = 256
"""Connections at a time: `select` knows files up to 1,024."""

PIECE = 1 << 22
"""Bytes that are trimmed or zeroed at a time, so that others have their turn; a multiple of any page."""

Operation = tuple[Any, ...]
"""The name of a drive's method (read, write, trim or flush), and its arguments."""

Perform = Callable[[list[Operation], Callable[[bool], object]], object]
"""Has the drive do operations, one after another, and calls a function at the end with whether they were done."""


@attrs.frozen
class Command:
    """A command of a client."""

    kind: int
    flags: int
    cookie: bytes
    offset: int
    size: int
    payload: bytes = b""

    @property
    def end(self) -> int:
        """The first byte behind those that it is about."""
        return self.offset + self.size

    @property
    def moved(self) -> int:
        """The bytes that it reads or writes."""
        return self.size if self.kind in (nbd.READ, nbd.WRITE) else 0


def check(command: Command, export: Export) -> int:
    """Return the error of the protocol with which a command is refused that the drive cannot do as it is, or 0."""
    kind, size = command.kind, command.size
    if kind not in nbd.FLAGS or command.flags & ~nbd.FLAGS[kind]:
        return nbd.EINVAL
    if kind == nbd.FLUSH:  # which has neither offset nor length
        return nbd.EINVAL if command.end else 0
    if command.end > export.size:
        return nbd.ENOSPC if kind in (nbd.WRITE, nbd.WRITE_ZEROES) else nbd.EINVAL
    if not size or command.offset % nbd.SECTOR or size % nbd.SECTOR:
        return nbd.EINVAL
    if kind == nbd.READ and size > nbd.MOST_PAYLOAD:
        return nbd.EINVAL
    # only zeroes of whole pages, which may leave a hole, are faster than a write
    return nbd.ENOTSUP if command.flags & nbd.FAST_ZERO and not is_trim(command, export) else 0


def is_trim(command: Command, export: Export) -> bool:
    """Return whether the zeroes of a command are whole pages that may be trimmed."""
    return not command.flags & nbd.NO_HOLE and not (command.offset | command.size) % export.preferred


def operations(command: Command, export: Export) -> list[Operation]:
    """Return the operations of the drive that a command takes.

    Zeroes are trimmed where they are whole pages, and written elsewhere. A trim that is to last is flushed.
    """
    offset, size, fua = command.offset, command.size, bool(command.flags & nbd.FUA)
    match command.kind:
        case nbd.READ:
            return [("read", offset, size)]
        case nbd.FLUSH:
            return [("flush",)]
        case nbd.TRIM | nbd.WRITE_ZEROES if command.kind == nbd.TRIM or is_trim(command, export):
            return [("trim", offset, size), *([("flush",)] if fua else [])]
    return [("write", offset, size, "main", fua)]


class Session(asyncio.Protocol):
    """The connection of a client to a drive of `export` that holds `data`, one of the `sessions` that there are.

    Its commands are done side by side, up to a bound, each by `perform`, and replied to as they complete, in whatever
    order. Data is written and read when a command comes: commands that overlap take effect in that order, but for trims
    and zeroes of more than a `PIECE`, which are done piece by piece. A client that breaks the protocol is dropped,
    which `tell` tells in a sentence, and so is, where there are too many, the oldest that has agreed on nothing yet.
    `note`, if any, is called before data changes, with offset, size and whether that is a trim.
    """

    def __init__(
        self,
        export: Export,
        data: Data,
        perform: Perform,
        tell: Callable[[str], object],
        sessions: dict["Session", None],
        note: Callable[[int, int, bool], object] | None = None,
    ):
        self.note, self.sessions = note, sessions
        self.export, self.data, self.perform, self.tell = export, data, perform, tell
        self.transport: asyncio.Transport
        self.talk: Generator[int, bytes, None]
        self.has_agreed = False
        self.received = bytearray()
        self.wanted = 0
        self.commands = self.bytes = 0
        self.is_blocked = self.is_ending = self.is_held = False
        self.wake = asyncio.get_running_loop().call_soon

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin to talk."""
        self.transport = cast(asyncio.Transport, transport)
        self.talk = self.conversation()
        self.wanted = next(self.talk)
        self.sessions[self] = None
        if len(self.sessions) > MOST_SESSIONS:
            oldest = next(session for session in self.sessions if not session.has_agreed)
            del self.sessions[oldest]
            oldest.transport.abort()

    def data_received(self, data: bytes) -> None:
        """Take bytes that the client has sent."""
        self.received += data
        self.go_on()

    def pause_writing(self) -> None:
        """Read no more: the client does not take its replies."""
        self.is_blocked = True

    def resume_writing(self) -> None:
        """Read on."""
        self.is_blocked = False
        self.wake(self.go_on)

    def connection_lost(self, error: Exception | None) -> None:
        """End with the connection; what is under way is done by the drive, and not replied to."""
        self.is_ending = True
        self.talk.close()
        self.sessions.pop(self, None)

    def end(self) -> None:
        """Take no more commands, and close the connection when those under way have been replied to."""
        self.is_ending = True
        self.transport.pause_reading()
        if not self.commands:
            self.transport.close()

    @property
    def is_full(self) -> bool:
        """Whether no more commands are taken for now."""
        return self.is_blocked or self.commands >= MOST_COMMANDS or self.bytes >= MOST_BYTES

    def go_on(self) -> None:
        """Take the commands that have come whole, as far as there is room for them."""
        try:
            while not (self.is_ending or self.is_full or self.transport.is_closing()):
                if len(self.received) < self.wanted:
                    break
                part = bytes(memoryview(self.received)[: self.wanted])
                del self.received[: self.wanted]
                self.wanted = self.talk.send(part)
        except StopIteration:
            self.end()
        except ProtocolError as error:
            self.tell(f"A client is dropped: it {printable(str(error))}.")
            self.is_ending = True
            self.transport.abort()
        if self.is_held != (self.is_full and not self.is_ending):
            self.is_held = not self.is_held
            (self.transport.pause_reading if self.is_held else self.transport.resume_reading)()

    def conversation(self) -> Generator[int, bytes, None]:
        """Talk with the client from its first byte to its last; yield how many bytes are needed next."""
        self.has_agreed = yield from handshake(self.export, self.transport.write)
        while self.has_agreed:
            magic, flags, kind, cookie, offset, size = nbd.REQUEST.unpack((yield nbd.REQUEST.size))
            if magic != nbd.REQUEST_MAGIC:
                raise ProtocolError(f"begins a command with {magic:#x}, not with {nbd.REQUEST_MAGIC:#x}")
            if kind == nbd.DISC:
                return
            payload = b""
            if kind == nbd.WRITE:
                if size > nbd.MOST_PAYLOAD:
                    raise ProtocolError(f"writes {size:,} bytes at once, and at most {nbd.MOST_PAYLOAD:,} are taken")
                payload = yield size
            self.take(Command(kind, flags, cookie, offset, size, payload))

    def take(self, command: Command) -> None:
        """Begin a command, whose reply follows when it is complete, or refuse it at once."""
        error = check(command, self.export)
        if error:
            self.transport.write(replied(command, error=error))
            return
        self.commands += 1
        self.bytes += command.moved
        self.do(command, 0)

    def do(self, command: Command, begin: int) -> None:
        """Do a command from its byte `begin` on, and reply to it when it is complete, or refused."""
        part = command
        if command.kind in (nbd.TRIM, nbd.WRITE_ZEROES):
            part = attrs.evolve(command, offset=command.offset + begin, size=min(PIECE, command.size - begin))
        try:
            payload = self.effect(part)
        except OSError as error:  # of the file with the data
            code = nbd.ENOSPC if error.errno == nbd.ENOSPC else nbd.EIO
            self.ended(command, replied(command, error=code))
            return

        def complete(is_done: bool) -> None:
            if is_done and part.end < command.end and not self.transport.is_closing():
                self.wake(self.do, command, begin + part.size)
            else:
                self.ended(command, replied(command, payload) if is_done else b"")

        self.perform(operations(part, self.export), complete)

    def ended(self, command: Command, reply: bytes) -> None:
        """Reply to a command, and make room for others."""
        self.commands -= 1
        self.bytes -= command.moved
        if reply and not self.transport.is_closing():
            self.transport.write(reply)
        # later, as the drive is within an event of its own
        if not self.is_ending:
            if self.is_held:
                self.wake(self.go_on)
        elif not self.commands:
            self.wake(self.transport.close)

    def effect(self, command: Command) -> bytes:
        """Change the data as a command has it, and return the bytes that it reads."""
        if self.note is not None and command.kind in (nbd.WRITE, nbd.TRIM, nbd.WRITE_ZEROES):
            self.note(command.offset, command.size, operations(command, self.export)[0][0] == "trim")
        match command.kind:
            case nbd.READ:
                return self.data.read(command.offset, command.size)
            case nbd.WRITE:
                self.data.write(command.offset, command.payload)
            case nbd.WRITE_ZEROES if command.flags & nbd.NO_HOLE:
                self.data.zero(command.offset, command.end)
            case nbd.TRIM | nbd.WRITE_ZEROES:
                self.data.trim(command.offset, command.size)
        return b""


def replied(command: Command, payload: bytes = b"", error: int = 0) -> bytes:
    """Return the reply to a command, with what it has read, or with the error."""
    return nbd.SIMPLE_REPLY.pack(nbd.SIMPLE_MAGIC, error, command.cookie) + payload
