"""The part of the device's addresses that each stream has for itself."""

from ssdsim.config import SimulationConfig
from ssdsim.errors import ConfigError


def namespaces(config: SimulationConfig) -> dict[str, tuple[int, int]]:
    """Return the first byte and the bytes of the namespace of each stream, in whole pages.

    They follow one another in the order of the streams that `host.namespace_share` names; all others have what is left
    in common. Raise `ConfigError` where there is no page for one.
    """
    shares, page, capacity = config.host.namespace_share, config.hardware.page_bytes, config.hardware.capacity_bytes
    placed, first = {}, 0
    streams = ["main", *config.workloads]
    for name in filter(shares.__contains__, streams):
        # 1e-6: a share of whole pages is those, for all its binary digits
        size = int(shares[name] * capacity + 1e-6) // page * page
        if not 0 < size <= capacity - first:
            raise ConfigError(
                f"host.namespace_share.{name}={shares[name]:g}: is {size} bytes in whole pages, and {capacity - first} "
                f"of {capacity} are left; set it to a page ({page} bytes) at least, and less where it is too much."
            )
        placed[name] = first, size
        first += size
    rest = [name for name in streams if name not in shares]
    if rest and capacity - first < page:
        raise ConfigError(
            f"host.namespace_share: leaves nothing of {capacity} bytes for {', '.join(rest)}; name all streams, or set "
            "shares to less."
        )
    return placed | dict.fromkeys(rest, (first, capacity - first))
