"""Which cell bit each page of a block is, in the order in which the block is programmed."""

LSB, CSB, MSB = range(3)


def diagonal_order(wordlines: int, bits_per_cell: int) -> list[tuple[int, int]]:
    """Return (wordline, page type) of every page of a block in the usual program order.

    Step k programs the first bit of wordline k, then the second of wordline k - 1, and so on, which keeps the
    interference between neighbouring wordlines low: L0, L1 C0, L2 C1 M0, L3 C2 M1, ... for three bits.
    """
    return [
        (step - bit, bit)
        for step in range(wordlines + bits_per_cell - 1)
        for bit in range(bits_per_cell)
        if 0 <= step - bit < wordlines
    ]


def page_types(pages_per_block: int, bits_per_cell: int) -> list[int]:
    """Return the page type (0 is the fastest) of each page of a block, in program order."""
    return [bit for _, bit in diagonal_order(pages_per_block // bits_per_cell, bits_per_cell)]
