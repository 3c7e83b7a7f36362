"""By whom a checkpoint was saved: each user has a key, and what is loaded is signed with it.

A file that was made to do harm can end the process, and what it could do beyond that is not known: compiled code does
not look again at each number that it is given. So a file is only read if the user has saved it, or has said to trust it
(`ssdsim.run.checkpoint.trust`).
"""

import contextlib
import hmac
import os
import secrets
import zlib
from pathlib import Path
from typing import Any
from uuid import uuid4

KEY_BYTES, CRC_BYTES, SIGNATURE_BYTES = 32, 4, 32


def key_file() -> Path:
    """Return where the user's key is; raise `OSError` if nobody has said where home is.

    It is `ssdsim/checkpoint.key` in XDG_STATE_HOME, or in ~/.local/state.
    """
    try:
        home = os.environ.get("XDG_STATE_HOME") or Path("~/.local/state").expanduser()
    except RuntimeError as error:  # of a user that the system does not know
        raise OSError(f"{error} Set XDG_STATE_HOME.") from None
    return Path(home, "ssdsim", "checkpoint.key")


def signing_key() -> bytes:
    """Return the key to sign with, which is made where there is none; raise `OSError` if that cannot be written."""
    try:
        return known_key() or _new_key(key_file())
    except OSError as error:
        raise OSError(
            f"there is no key to sign it with ({error}); set XDG_STATE_HOME to a folder that you may write to"
        ) from None


def known_key() -> bytes | None:
    """Return the user's key, None if there is none yet; raise `OSError` if it cannot be read, or is none."""
    path = key_file()
    try:
        key = path.read_bytes()
    except FileNotFoundError:
        return None
    if len(key) != KEY_BYTES:
        raise OSError(f"{path} has not the {KEY_BYTES} bytes of a key; remove it")
    return key


def _new_key(path: Path) -> bytes:
    """Keep a new key at `path`, unless another process is first, and return the one that is there."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    unfinished = path.with_name(f".writing-{uuid4().hex}")
    try:
        with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(secrets.token_bytes(KEY_BYTES))
        with contextlib.suppress(FileExistsError):
            os.link(unfinished, path)  # which is never half there, and replaces none
        return path.read_bytes()
    finally:
        unfinished.unlink(missing_ok=True)


class Seal:
    """What a file ends with, of all that comes before: a CRC-32, by which damage is found, and a signature by `key`."""

    def __init__(self, key: bytes):
        self.checksum = 0
        self.signature = hmac.new(key, digestmod="sha256")

    def add(self, part: Any) -> None:
        """Take the next bytes in."""
        self.checksum = zlib.crc32(part, self.checksum)
        self.signature.update(part)

    def close(self) -> bytes:
        """Return the end of the file."""
        checksum = self.checksum.to_bytes(CRC_BYTES, "little")
        self.signature.update(checksum)
        return checksum + self.signature.digest()


def is_signed(content: Any, signature: bytes) -> bool:
    """Return whether `signature` is that of the bytes in `content` by the user's key."""
    key = known_key()
    return key is not None and hmac.compare_digest(hmac.digest(key, content, "sha256"), signature)
