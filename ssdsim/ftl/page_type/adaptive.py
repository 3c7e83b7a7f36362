"""flexFTL's scheme: page by page, by the write buffer and a quota (3.2)."""

from array import array

from ssdsim.config import check_option, is_number
from ssdsim.errors import ConfigError
from ssdsim.ftl.page_type.interface import BY_PAGE, PageTypeScheme


def is_share(value):
    """Return whether `value` is a share."""
    return is_number(value) and 0 <= value <= 1


class Adaptive(PageTypeScheme):
    """flexFTL's adaptive page allocation (3.2): by the utilization u of the write buffer and a quota q of LSB pages.

    Above `u_high` a page is LSB while q is positive, below `u_low` it is MSB, and otherwise the types of a plane take
    turns. `quota` is what q is at first, as a share of all LSB pages of the device; each LSB page takes one of it and
    each MSB page gives one back, so it follows from the unused pages of these types. Where there is no slow block, the
    frontier hands out an LSB page instead of an MSB one (footnote 1).
    """

    by_page = True
    needs_buffer = True

    def __init__(self, u_high=0.8, u_low=0.1, quota=0.05):
        for key, value in (("u_high", u_high), ("u_low", u_low), ("quota", quota)):
            check_option(f"ftl.page_type_options.adaptive.{key}", value, is_share, "a share between 0 and 1")
        if u_low >= u_high:
            raise ConfigError(f"ftl.page_type_options.adaptive.u_low={u_low}: must be less than u_high={u_high}.")
        self.u_high = u_high
        self.u_low = u_low
        self.quota = quota

    def bind(self, blocks, page_bytes, buffer, random):
        """Start with the full quota; there must be a buffer whose utilization can be looked at."""
        PageTypeScheme.bind(self, blocks, page_bytes, buffer, random)
        self.initial = int(self.quota * blocks.count * blocks.order.wordlines)
        self.last = array("b", [self.types - 1] * blocks.planes)

    def choose(self, request):
        """Leave it to the moment when each page is placed."""
        return BY_PAGE

    def choose_page(self, plane):
        """Return the type by u and q."""
        utilization = self.buffer.utilization()
        if utilization > self.u_high and self.left() > 0:
            return 0
        if utilization < self.u_low:
            return self.types - 1
        return self.in_turn(plane)

    def in_turn(self, plane):
        """Return the type after the one that was given last in turn in `plane`."""
        self.last[plane] = (self.last[plane] + 1) % self.types
        return self.last[plane]

    def quota_left(self):
        """Return the quota q, for what is measured."""
        return self.left()

    def left(self):
        """Return the quota q, in pages; below zero, more LSB pages than it allows were used in turn."""
        return self.initial - self.blocks.free_of_type(self.types - 1) + self.blocks.free_of_type(0)
