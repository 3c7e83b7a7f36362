"""The part of the device's addresses that each stream has for itself."""

from ssdsim.config import SimulationConfig
from ssdsim.errors import ConfigError


def namespaces(config: SimulationConfig) -> dict[str, tuple[int, int]]:
    """Return the first byte and the bytes of the namespace of each stream, in whole pages.

    They follow one another in the order of the streams that `host.namespace_share` or `host.namespace_mib` name; all
    others have what is left in common. Raise `ConfigError` where a stream has two sizes, or there is no page for one.
    """
    host, page, capacity = config.host, config.hardware.page_bytes, config.hardware.capacity_bytes
    both = sorted(host.namespace_share.keys() & host.namespace_mib.keys())
    if both:
        raise ConfigError(f"host.namespace_mib.{both[0]}: host.namespace_share names it, too; leave it out of one.")
    sizes = {name: ("share", share, share * capacity) for name, share in host.namespace_share.items()}
    sizes |= {name: ("mib", mib, mib * 2**20) for name, mib in host.namespace_mib.items()}
    placed, first = {}, 0
    streams = ["main", *config.workloads]
    for name in filter(sizes.__contains__, streams):
        unit, given, wanted = sizes[name]
        size = int(wanted + 1e-6) // page * page  # 1e-6: a share of whole pages is those, for all its binary digits
        if not 0 < size <= capacity - first:
            raise ConfigError(
                f"host.namespace_{unit}.{name}={given:g}: is {size} bytes in whole pages, and {capacity - first} of "
                f"{capacity} are left; set it to a page ({page} bytes) at least, and less where it is too much."
            )
        placed[name] = first, size
        first += size
    rest = [name for name in streams if name not in sizes]
    if rest and capacity - first < page:
        raise ConfigError(
            f"host.namespace_share: leaves nothing of {capacity} bytes for {', '.join(rest)}; name all streams, or set "
            "shares or host.namespace_mib to less."
        )
    return placed | dict.fromkeys(rest, (first, capacity - first))
