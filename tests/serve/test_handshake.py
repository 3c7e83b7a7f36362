"""The handshake of an NBD server, byte for byte: what is agreed on, what is refused, and who is dropped."""

from struct import pack, unpack

import pytest

from ssdsim.serve.handshake import Export, handshake
from ssdsim.serve.protocol import ProtocolError
from support.nbd_client import HANDSHAKE_FLAGS, go, option, string

EXPORT = Export(size=1 << 20, preferred=16384)
FLAGS = 1 | 4 | 8 | 32 | 64 | 256 | 2048  # has flags, flush, FUA, trim, write zeroes, several connections, fast zero
HELLO = b"NBDMAGICIHAVEOPT\0\3"
INVALID, UNSUPPORTED, UNKNOWN = (2**31 + code for code in (3, 1, 6))


def talk(*messages, flags=HANDSHAKE_FLAGS):
    """Return what the handshake sends to a client that sends `messages`, and whether it agrees: ... if it goes on."""
    sent, received = [], flags + b"".join(messages)
    talking = handshake(EXPORT, sent.append)
    wanted = next(talking)
    try:
        while len(received) >= wanted:
            part, received = received[:wanted], received[wanted:]
            wanted = talking.send(part)
    except StopIteration as end:
        assert not received
        return b"".join(sent).removeprefix(HELLO), end.value
    return b"".join(sent).removeprefix(HELLO), ...


def replies(data):
    """Return (option, kind, data) of each reply to an option."""
    found = []
    while data:
        magic, number, kind, size = unpack(">QIII", data[:20])
        assert magic == 0x3E889045565A9
        found.append((number, kind, data[20 : 20 + size]))
        data = data[20 + size :]
    return found


def test_a_client_learns_size_flags_and_block_sizes():
    sent, agreement = talk(option(3), go(number=6), go())

    def told(number):
        sizes = pack(">HIII", 3, 512, 16384, 1 << 25)
        return [(number, 3, pack(">HQH", 0, 1 << 20, FLAGS)), (number, 3, sizes), (number, 1, b"")]

    assert replies(sent) == [
        *((3, 2, string(b"")), (3, 1, b"")),
        *told(6),
        *told(7),
    ]
    assert agreement is True


@pytest.mark.parametrize(("flags", "zeroes"), [(1, 124), (3, 0)])
def test_an_old_client_gets_size_and_flags_and_no_reply(flags, zeroes):
    sent, agreement = talk(option(1), flags=pack(">I", flags))
    assert (sent, agreement) == (pack(">QH", 1 << 20, FLAGS) + bytes(zeroes), True)


@pytest.mark.parametrize(
    ("message", "error"),
    [
        (option(5), UNSUPPORTED),  # TLS
        (option(3, b"x"), INVALID),
        (go(b"other"), UNKNOWN),
        (option(7, string(b"") + pack(">HH", 2, 3)), INVALID),
    ],
)
def test_an_option_is_refused_and_the_handshake_goes_on(message, error):
    sent, agreement = talk(message, option(2))
    (number, kind, words), aborted = replies(sent)
    assert (number, kind, agreement) == (unpack(">I", message[8:12])[0], error, False) and words
    assert aborted == (2, 1, b"")


@pytest.mark.parametrize(
    ("messages", "flags", "told"),
    [
        ([], pack(">I", 4), "unknown flags in its handshake, 0x4"),
        ([b"GET / HTTP/1.1\r\n"], HANDSHAKE_FLAGS, "begins an option with b'GET / HT'"),
        ([option(7, size=1 << 31)], HANDSHAKE_FLAGS, "sends option 7 with 2,147,483,648 bytes"),
        ([option(1, b"other")], HANDSHAKE_FLAGS, "asks for an export b'other'"),
    ],
)
def test_a_client_that_breaks_the_handshake_is_told_of(messages, flags, told):
    with pytest.raises(ProtocolError, match=told.replace("(", r"\(")):
        talk(*messages, flags=flags)
