"""The address that a server listens at."""

import ipaddress
import re

import attrs

from ssdsim.errors import InputError


@attrs.frozen
class Address:
    """Where a server listens: the path of a Unix socket, or a port of a loopback address."""

    path: str = ""
    host: str = ""
    port: int = 0

    @classmethod
    def parse(cls, text: str) -> "Address":
        """Return the address that `text` names, unix:PATH or HOST:PORT; raise InputError for others."""
        kind, _, path = text.partition(":")
        if kind == "unix" and path:
            return cls(path=path)
        match = re.fullmatch(r"\[(.+)\]:(\d+)|([^:]+):(\d+)", text, re.ASCII)
        if match is None or int(match[2] or match[4]) > 65535:
            raise InputError(f"--listen {text}: must be unix:PATH or HOST:PORT, such as 127.0.0.1:10809.")
        host = match[1] or match[3]
        try:
            is_own = host == "localhost" or ipaddress.ip_address(host).is_loopback
        except ValueError:
            is_own = False
        if not is_own:
            raise InputError(
                f"--listen {text}: is no loopback address, and whoever reaches it could write; take 127.0.0.1, [::1] "
                "or unix:PATH, and lead others there by ssh."
            )
        return cls(host="127.0.0.1" if host == "localhost" else host, port=int(match[2] or match[4]))
