"""A client's connection, without a socket or a drive: replies, refusals, bounds, and who is dropped."""

import asyncio
from struct import pack
from types import SimpleNamespace

import pytest

from ssdsim.serve import session as sessions
from ssdsim.serve.data import Data
from ssdsim.serve.handshake import Export
from ssdsim.serve.session import Session
from support.nbd_client import (
    CACHE,
    DISC,
    FLUSH,
    HANDSHAKE_FLAGS,
    READ,
    TRIM,
    WRITE,
    WRITE_ZEROES,
    command,
    go,
    option,
)

SIZE, PAGE = 1 << 20, 16384
FUA, NO_HOLE, FAST_ZERO = 1, 2, 16
EINVAL, ENOSPC, ENOTSUP = 22, 28, 95


class Transport:
    """Stands in for a socket, and notes what is done with it."""

    def __init__(self):
        self.sent, self.calls = b"", []

    def write(self, data):
        self.sent += data

    def is_closing(self):
        return not {"close", "abort"}.isdisjoint(self.calls)

    def __getattr__(self, name):
        return lambda: self.calls.append(name)


def connected(body):
    """Call `body` with a session after its handshake: its transport, what is under way, and what is told."""

    async def run():
        with Data(SIZE) as data:
            seen = SimpleNamespace(transport=Transport(), pending=[], told=[], data=data)
            perform = lambda operations, complete: seen.pending.append((operations, complete))  # noqa: E731
            seen.session = Session(Export(SIZE, PAGE), data, perform, seen.told.append, {})
            seen.session.connection_made(seen.transport)
            for byte in HANDSHAKE_FLAGS + go():  # however it is cut into pieces
                seen.session.data_received(bytes([byte]))
            seen.transport.sent = b""
            body(seen)
            await asyncio.sleep(0)
            return seen

    return asyncio.run(run())


def reply(cookie, error=0):
    """Return the reply to a command, before what was read."""
    return pack(">IIQ", 0x67446698, error, cookie)


def test_commands_are_done_side_by_side_and_replied_to_as_they_complete():
    def body(seen):
        seen.session.data_received(
            command(WRITE, 512, payload=b"x" * 1024, cookie=1)
            + command(READ, 0, 1024, cookie=2)
            + command(FLUSH, cookie=3)
            + command(WRITE, 0, payload=b"y" * 512, flags=FUA, cookie=4)
            + command(TRIM, PAGE, PAGE, flags=FUA, cookie=5)
        )
        assert [operations for operations, _ in seen.pending] == [
            [("write", 512, 1024, "main", False)],
            [("read", 0, 1024)],
            [("flush",)],
            [("write", 0, 512, "main", True)],
            [("trim", PAGE, PAGE), ("flush",)],
        ]
        for number in (1, 3, 0, 4, 2):
            seen.pending[number][1](True)

    # what was read is what had been written before the command came
    read = reply(2) + bytes(512) + b"x" * 512
    assert connected(body).transport.sent == read + b"".join(map(reply, (4, 1, 5, 3)))


def test_zeroes_are_trimmed_where_they_are_whole_pages_and_may_leave_a_hole():
    def body(seen):
        seen.data.write(0, b"x" * 3 * PAGE)
        for offset, flags in ((0, 0), (PAGE, NO_HOLE), (2 * PAGE + 512, 0)):
            seen.session.data_received(command(WRITE_ZEROES, offset, PAGE - 512 * (offset > PAGE), flags=flags))
        assert seen.data.read(0, 3 * PAGE) == bytes(2 * PAGE) + b"x" * 512 + bytes(PAGE - 512)

    seen = connected(body)
    assert [operations[0][0] for operations, _ in seen.pending] == ["trim", "write", "write"]


REFUSED = [
    (command(READ, SIZE, 512), EINVAL),
    (command(READ, 0, 512, flags=NO_HOLE), EINVAL),
    (command(WRITE, SIZE - 512, payload=bytes(1024)), ENOSPC),
    (command(WRITE_ZEROES, 0, 512, flags=FAST_ZERO), ENOTSUP),
    (command(TRIM, SIZE - 512, 1024), EINVAL),
    (command(FLUSH, 512, 0), EINVAL),
    (command(CACHE, 0, 512), EINVAL),
]


def test_commands_that_cannot_be_done_are_refused_and_the_next_is_taken():
    def body(seen):
        for refused, _ in REFUSED:
            seen.session.data_received(refused)
        seen.session.data_received(command(FLUSH, cookie=2))
        assert [operations for operations, _ in seen.pending] == [[("flush",)]]
        assert not any(seen.data.read(0, SIZE))

    assert connected(body).transport.sent == b"".join(reply(1, error) for _, error in REFUSED)


@pytest.mark.parametrize("bound", ["MOST_COMMANDS", "MOST_BYTES"])
def test_a_client_is_not_read_on_while_its_bound_is_reached(monkeypatch, bound):
    monkeypatch.setattr(sessions, bound, {"MOST_COMMANDS": 2, "MOST_BYTES": 1024}[bound])

    def body(seen):
        for cookie in range(5):
            seen.session.data_received(command(WRITE, 0, payload=bytes(512), cookie=cookie))
        assert len(seen.pending) == 2 and seen.transport.calls == ["pause_reading"]
        seen.pending[0][1](True)
        seen.session.go_on()
        assert len(seen.pending) == 3
        for number in (1, 2):
            seen.pending[number][1](True)
        seen.session.go_on()
        assert len(seen.pending) == 5
        seen.pending[3][1](True)
        seen.pending[4][1](True)
        seen.session.go_on()
        assert seen.transport.calls == ["pause_reading", "resume_reading"]
        seen.session.pause_writing()  # replies that are not taken
        seen.session.data_received(command(FLUSH))
        assert len(seen.pending) == 5

    connected(body)


def test_the_end_waits_for_the_replies_that_are_owed():
    def body(seen):
        seen.session.data_received(command(FLUSH, cookie=9) + command(DISC) + command(FLUSH))
        assert "close" not in seen.transport.calls and len(seen.pending) == 1
        seen.pending[0][1](True)

    seen = connected(body)
    assert seen.transport.sent == reply(9)
    assert seen.transport.calls[-1] == "close" and not seen.told


@pytest.mark.parametrize(
    ("broken", "told"),
    [
        (command(READ, 0, 512, magic=0x12560953), "begins a command with 0x12560953"),
        (option(7), "begins a command with 0x49484156"),  # as if there was no end to the handshake
        (command(WRITE, 0, 1 << 26), "writes 67,108,864 bytes at once"),
    ],
)
def test_a_client_that_breaks_the_protocol_is_dropped(broken, told):
    def body(seen):
        seen.session.data_received(broken + command(FLUSH))

    seen = connected(body)
    (sentence,) = seen.told
    assert sentence.startswith(f"A client is dropped: it {told}") and sentence.endswith(".")
    assert seen.transport.calls == ["abort"] and not seen.pending
