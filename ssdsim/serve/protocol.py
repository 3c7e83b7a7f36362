"""The numbers of the NBD protocol, and its messages as bytes.

Source: `doc/proto.md` of https://github.com/NetworkBlockDevice/nbd, whose names these are.
"""

from struct import Struct

from ssdsim.errors import SsdsimError

HELLO = Struct(">8s8sH")
OPTION = Struct(">8sII")
OPTION_REPLY = Struct(">QIII")
REQUEST = Struct(">IHH8sQI")
SIMPLE_REPLY = Struct(">II8s")

INIT_MAGIC, OPTION_MAGIC = b"NBDMAGIC", b"IHAVEOPT"
OPTION_REPLY_MAGIC = 0x3E889045565A9
REQUEST_MAGIC, SIMPLE_MAGIC = 0x25609513, 0x67446698

FIXED_NEWSTYLE, NO_ZEROES = 1, 2

OPT_EXPORT_NAME, OPT_ABORT, OPT_LIST, OPT_INFO, OPT_GO = 1, 2, 3, 6, 7

REP_ACK, REP_SERVER, REP_INFO = 1, 2, 3
REP_ERR_UNSUP, REP_ERR_INVALID, REP_ERR_UNKNOWN = 2**31 + 1, 2**31 + 3, 2**31 + 6

INFO_EXPORT, INFO_BLOCK_SIZE = 0, 3

HAS_FLAGS, SEND_FLUSH, SEND_FUA, SEND_TRIM, SEND_WRITE_ZEROES = 1 << 0, 1 << 2, 1 << 3, 1 << 5, 1 << 6
CAN_MULTI_CONN, SEND_FAST_ZERO = 1 << 8, 1 << 11

READ, WRITE, DISC, FLUSH, TRIM, WRITE_ZEROES = 0, 1, 2, 3, 4, 6

FUA, NO_HOLE, FAST_ZERO = 1, 2, 16
FLAGS = {
    READ: FUA,
    WRITE: FUA,
    FLUSH: FUA,
    TRIM: FUA,
    WRITE_ZEROES: FUA | NO_HOLE | FAST_ZERO,
}
"""The flags that a command may have; FUA is valid, if without meaning, on all of them."""

EIO, EINVAL, ENOSPC, ENOTSUP = 5, 22, 28, 95

SECTOR = 512
"""The smallest unit that is read or written, in bytes."""

MOST_PAYLOAD = 1 << 25
"""The most bytes that a request reads or writes: as much as a client may expect of any server."""

MOST_OPTION = 1 << 16
"""The most bytes that an option may have: names have 4,096 at most."""


class ProtocolError(SsdsimError):
    """A client does what the protocol forbids; the sentence has no subject, and begins with its verb."""


def option_reply(option: int, kind: int, data: bytes = b"") -> bytes:
    """Return a reply to an option."""
    return OPTION_REPLY.pack(OPTION_REPLY_MAGIC, option, kind, len(data)) + data
