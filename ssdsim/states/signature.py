"""Sign a user's own checkpoints, so that those of other people are told from them."""

import contextlib
import hmac
import os
import secrets
from pathlib import Path
from uuid import uuid4

SIGNATURE_BYTES = 32


def key_file() -> Path:
    """Return where the user's key lies: `ssdsim/key` in XDG_DATA_HOME, or in ~/.local/share."""
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share", "ssdsim", "key")


def user_key() -> bytes:
    """Return the user's key, drawn when it is first asked for; raise `OSError` if it can be neither read nor kept."""
    path = key_file()
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(uuid4().hex)
        draft.touch(mode=0o600)
        draft.write_bytes(secrets.token_bytes(SIGNATURE_BYTES))
        with contextlib.suppress(FileExistsError):  # another process was first, and its key counts
            os.link(draft, path)
        draft.unlink()
    return path.read_bytes()


def signature(digest: bytes) -> bytes:
    """Return the user's signature of a checksum (HMAC-SHA256), zeros if the user can have no key."""
    try:
        return hmac.digest(user_key(), digest, "sha256")
    except OSError:
        return bytes(SIGNATURE_BYTES)


def is_signed(digest: bytes, mark: bytes) -> bool:
    """Return whether `mark` is the user's signature of a checksum."""
    return any(mark) and hmac.compare_digest(signature(digest), mark)
