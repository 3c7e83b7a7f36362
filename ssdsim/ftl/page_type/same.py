"""Schemes that look at nothing: the same type always, or all alike."""

from ssdsim.errors import ConfigError
from ssdsim.ftl.page_type.interface import PageTypeScheme


class Uniform(PageTypeScheme):
    """sU: every type alike, in turn or at random (PA-SSD, 4.2)."""

    def __init__(self, order="round_robin"):
        if order not in ("round_robin", "random"):
            raise ConfigError(f"ftl.page_type_options.uniform.order={order}: must be round_robin or random.")
        self.at_random = order == "random"
        self.last = -1

    def choose(self, request):
        """Return the type after the last one, or any."""
        if self.at_random:
            return self.random.below(self.types)
        self.last = (self.last + 1) % self.types
        return self.last


class LsbFirst(PageTypeScheme):
    """sLF: the fastest type, always (PA-SSD, 4.2)."""

    def choose(self, request):
        """Return LSB."""
        return 0


class SlowestFirst(PageTypeScheme):
    """The slowest type, always: where rtfFTL moves data, for the next pages to be fast ones (flexFTL, 4.1)."""

    def choose(self, request):
        """Return MSB."""
        return self.types - 1
