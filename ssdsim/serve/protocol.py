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
CHUNK = Struct(">IHH8sI")

INIT_MAGIC, OPTION_MAGIC = b"NBDMAGIC", b"IHAVEOPT"
OPTION_REPLY_MAGIC = 0x3E889045565A9
REQUEST_MAGIC, SIMPLE_MAGIC, CHUNK_MAGIC = 0x25609513, 0x67446698, 0x668E33EF

FIXED_NEWSTYLE, NO_ZEROES = 1, 2

OPT_EXPORT_NAME, OPT_ABORT, OPT_LIST, OPT_INFO, OPT_GO, OPT_STRUCTURED_REPLY = 1, 2, 3, 6, 7, 8
OPT_LIST_META_CONTEXT, OPT_SET_META_CONTEXT = 9, 10

REP_ACK, REP_SERVER, REP_INFO, REP_META_CONTEXT = 1, 2, 3, 4
REP_ERR_UNSUP, REP_ERR_INVALID, REP_ERR_UNKNOWN = 2**31 + 1, 2**31 + 3, 2**31 + 6

INFO_EXPORT, INFO_BLOCK_SIZE = 0, 3

HAS_FLAGS, SEND_FLUSH, SEND_FUA, SEND_TRIM, SEND_WRITE_ZEROES = 1 << 0, 1 << 2, 1 << 3, 1 << 5, 1 << 6
SEND_DF, CAN_MULTI_CONN, SEND_FAST_ZERO = 1 << 7, 1 << 8, 1 << 11

READ, WRITE, DISC, FLUSH, TRIM, WRITE_ZEROES, BLOCK_STATUS = 0, 1, 2, 3, 4, 6, 7

FUA, NO_HOLE, DF, REQ_ONE, FAST_ZERO = 1, 2, 4, 8, 16
FLAGS = {
    READ: FUA | DF,
    WRITE: FUA,
    FLUSH: FUA,
    TRIM: FUA,
    WRITE_ZEROES: FUA | NO_HOLE | FAST_ZERO,
    BLOCK_STATUS: FUA | REQ_ONE,
}
"""The flags that a command may have; FUA is valid, if without meaning, on all of them."""

CHUNK_DONE = 1
CHUNK_NONE, CHUNK_DATA, CHUNK_STATUS, CHUNK_ERROR = 0, 1, 5, 2**15 + 1

HOLE_OF_ZEROES = 3  # NBD_STATE_HOLE and NBD_STATE_ZERO

EIO, EINVAL, ENOSPC, EOVERFLOW, ENOTSUP = 5, 22, 28, 75, 95

CONTEXT, CONTEXT_ID = b"base:allocation", 1

SECTOR = 512
"""The smallest unit that is read or written, in bytes."""

MOST_PAYLOAD = 1 << 25
"""The most bytes that a request reads or writes: as much as a client may expect of any server."""

MOST_OPTION = 1 << 16
"""The most bytes that an option may have: names have 4,096 at most."""

MOST_EXTENTS = 1 << 16
"""The most extents that are told in one reply."""


class ProtocolError(SsdsimError):
    """A client does what the protocol forbids; the sentence has no subject, and begins with its verb."""


def option_reply(option: int, kind: int, data: bytes = b"") -> bytes:
    """Return a reply to an option."""
    return OPTION_REPLY.pack(OPTION_REPLY_MAGIC, option, kind, len(data)) + data


def chunk(kind: int, cookie: bytes, payload: bytes = b"") -> bytes:
    """Return a structured reply of a single chunk."""
    return CHUNK.pack(CHUNK_MAGIC, CHUNK_DONE, kind, cookie, len(payload)) + payload
