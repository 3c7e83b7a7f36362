"""The first half of an NBD connection, in which client and server agree on what they use: fixed newstyle."""

from collections.abc import Callable, Generator
from struct import Struct, pack

import attrs

from . import protocol as nbd
from .protocol import ProtocolError, option_reply

LENGTH, COUNT = Struct(">I"), Struct(">H")


class OptionError(Exception):
    """An option is refused, with a reply of this kind."""

    def __init__(self, kind: int, message: str):
        super().__init__(message)
        self.kind = kind


@attrs.frozen
class Export:
    """A drive as a client is told of it: its size, and the size that it is best written in, in bytes."""

    size: int
    preferred: int

    @property
    def flags(self) -> int:
        """The transmission flags: what the drive can do."""
        can = nbd.HAS_FLAGS | nbd.SEND_FLUSH | nbd.SEND_FUA | nbd.SEND_TRIM | nbd.SEND_WRITE_ZEROES
        return can | nbd.CAN_MULTI_CONN | nbd.SEND_FAST_ZERO


def handshake(export: Export, send: Callable[[bytes], object]) -> Generator[int, bytes, bool]:
    """Agree with a client on `export`, and return whether it goes on from there.

    It yields how many bytes it needs next, is sent them, and `send`s its own. The export has the empty name. Raise
    `ProtocolError` for a client that breaks the protocol.
    """
    send(nbd.HELLO.pack(nbd.INIT_MAGIC, nbd.OPTION_MAGIC, nbd.FIXED_NEWSTYLE | nbd.NO_ZEROES))
    (flags,) = LENGTH.unpack((yield LENGTH.size))
    if flags & ~(nbd.FIXED_NEWSTYLE | nbd.NO_ZEROES):
        raise ProtocolError(f"sets unknown flags in its handshake, {flags:#x}")
    while True:
        magic, option, size = nbd.OPTION.unpack((yield nbd.OPTION.size))
        if magic != nbd.OPTION_MAGIC:
            raise ProtocolError(f"begins an option with {magic!r}, not with {nbd.OPTION_MAGIC!r}")
        if size > nbd.MOST_OPTION:
            raise ProtocolError(f"sends option {option} with {size:,} bytes, and at most {nbd.MOST_OPTION:,} are read")
        data = yield size
        if option == nbd.OPT_EXPORT_NAME:
            if data:  # there is no reply that would say so
                raise ProtocolError(f"asks for an export {data[:60]!r}, and there is only the one without a name")
            send(pack(">QH", export.size, export.flags) + bytes(0 if flags & nbd.NO_ZEROES else 124))
            return True
        try:
            send(answer(export, option, data) + option_reply(option, nbd.REP_ACK))
        except OptionError as error:
            send(option_reply(option, error.kind, str(error).encode()))
        else:
            if option in (nbd.OPT_GO, nbd.OPT_ABORT):
                return bool(option == nbd.OPT_GO)


def answer(export: Export, option: int, data: bytes) -> bytes:
    """Return the replies to an option but the last; raise `OptionError` to refuse it."""
    fields = Fields(data)
    match option:
        case nbd.OPT_ABORT:
            return b""
        case nbd.OPT_LIST:
            fields.end()
            return option_reply(option, nbd.REP_SERVER, LENGTH.pack(0))
        case nbd.OPT_INFO | nbd.OPT_GO:
            name = fields.string()
            fields.take(COUNT.size * fields.number(COUNT))  # all that there is to tell is told
            fields.end()
            if name:
                raise OptionError(nbd.REP_ERR_UNKNOWN, "there is only the export without a name")
            told = pack(">HQH", nbd.INFO_EXPORT, export.size, export.flags)
            sizes = pack(">HIII", nbd.INFO_BLOCK_SIZE, nbd.SECTOR, export.preferred, nbd.MOST_PAYLOAD)
            return option_reply(option, nbd.REP_INFO, told) + option_reply(option, nbd.REP_INFO, sizes)
    raise OptionError(nbd.REP_ERR_UNSUP, "this option is not supported")


class Fields:
    """The data of an option, from which fields are taken one by one; `OptionError` if there are more, or fewer."""

    def __init__(self, data: bytes):
        self.data = data

    def take(self, size: int) -> bytes:
        """Return the next `size` bytes."""
        if size > len(self.data):
            raise OptionError(nbd.REP_ERR_INVALID, "the data of this option is too short")
        taken, self.data = self.data[:size], self.data[size:]
        return taken

    def number(self, kind: Struct) -> int:
        """Return the next number."""
        return int(kind.unpack(self.take(kind.size))[0])

    def string(self) -> bytes:
        """Return the next string, which its length comes before."""
        return self.take(self.number(LENGTH))

    def end(self) -> None:
        """Make sure that nothing is left."""
        if self.data:
            raise OptionError(nbd.REP_ERR_INVALID, f"the data of this option is {len(self.data)} bytes too long")
