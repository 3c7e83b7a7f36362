"""A client of the NBD protocol of a few lines, which can also break it, and the messages that clients send."""

import socket
from struct import pack, unpack

HANDSHAKE_FLAGS = pack(">I", 3)
READ, WRITE, DISC, FLUSH, TRIM, CACHE, WRITE_ZEROES = range(7)


def option(number, data=b"", size=None):
    """Return an option of a client, with a wrong size if one is given."""
    return b"IHAVEOPT" + pack(">II", number, len(data) if size is None else size) + data


def string(text):
    """Return a string behind its length."""
    return pack(">I", len(text)) + text


def go(name=b"", number=7):
    """Return the option that chooses an export and ends the handshake, or (6) asks about it."""
    return option(number, string(name) + pack(">HH", 1, 3))


def command(kind, offset=0, size=0, payload=b"", flags=0, cookie=1, magic=0x25609513):
    """Return a command."""
    return pack(">IHHQQI", magic, flags, kind, cookie, offset, size or len(payload)) + payload


class Client:
    """A connection to the Unix socket at `path`."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(60)
        self.socket.connect(str(path))
        self.socket.sendall(HANDSHAKE_FLAGS + go())
        self.take(18)
        while True:
            _, number, kind, size = unpack(">QIII", self.take(20))
            self.take(size)
            if (number, kind) == (7, 1):
                break

    def take(self, size):
        """Return the next bytes."""
        received = b""
        while len(received) < size:
            part = self.socket.recv(size - len(received))
            if not part:
                raise EOFError
            received += part
        return received

    def reply(self, size=0):
        """Return the next reply: its cookie, the error (0: none) and, of a read of `size` bytes, the data."""
        _, error, cookie = unpack(">IIQ", self.take(16))
        return cookie, error, b"" if error else self.take(size)

    def ask(self, kind, offset=0, size=0, *more, **named):
        """Send a command and return the error and data of its reply."""
        self.socket.sendall(command(kind, offset, size, *more, **named))
        return self.reply(size if kind == READ else 0)[1:]

    def close(self):
        """End the connection as the protocol has it."""
        self.socket.sendall(command(DISC))
        self.socket.close()
