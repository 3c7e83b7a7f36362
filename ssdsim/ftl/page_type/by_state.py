"""Schemes that look at the device: at its write buffer, or at its unused pages."""

from ssdsim.ftl.page_type.interface import PASS, PageTypeScheme


class WriteBuffer(PageTypeScheme):
    """sWB: the fastest type while the write buffer is full; without a buffer, always (PA-SSD, 4.2)."""

    def bind(self, blocks, page_bytes, buffer, random):
        """Pass only if there is a buffer that may have room."""
        PageTypeScheme.bind(self, blocks, page_bytes, buffer, random)
        self.may_pass = buffer is not None

    def choose(self, request):
        """Return LSB if the buffer is full."""
        return 0 if self.buffer is None or self.buffer.is_full() else PASS


class Utilization(PageTypeScheme):
    """sUB: each type with a probability in proportion to its unused pages on the device (PA-SSD, 4.2)."""

    def choose(self, request):
        """Draw a type."""
        unused = 0
        for page_type in range(self.types):
            unused += self.blocks.free_of_type(page_type)
        if unused == 0:
            return 0
        place = self.random.below(unused)
        page_type = 0
        while place >= self.blocks.free_of_type(page_type):
            place -= self.blocks.free_of_type(page_type)
            page_type += 1
        return page_type
