"""The order in which the two passes of coarse-fine programs take the wordlines of a block.

A layer has a wordline of each string, and wordlines are numbered in the order of their coarse passes: string by string
within a layer (`layer_first`), or layer by layer within a string (`string_first`). The fine pass of a wordline comes
when the next layer of the same string has had its coarse pass, which disturbs it; the last layer has none behind it.
Fine passes are in the order of numbers, too, so that those of the last layer come after the last coarse pass there.
"""

COARSE, FINE = "coarse", "fine"


def place_of(wordline: int, wordlines: int, strings: int, string_order: str) -> tuple[int, int]:
    """Return the layer and the string of a wordline."""
    if string_order == "layer_first":
        return divmod(wordline, strings)
    string, layer = divmod(wordline, wordlines // strings)
    return layer, string


def last_coarse(wordlines: int, strings: int, string_order: str) -> list[int]:
    """Return by wordline the one whose coarse pass has to be over before its fine pass."""
    if string_order == "layer_first":
        return [min(wordline + strings, wordlines - 1) for wordline in range(wordlines)]
    layers = wordlines // strings
    return [wordline + 1 if (wordline + 1) % layers else wordline for wordline in range(wordlines)]


def pass_order(wordlines: int, strings: int, string_order: str) -> list[tuple[int, str]]:
    """Return the passes of a block, each with its wordline: a fine one comes as soon as it may."""
    awaited = last_coarse(wordlines, strings, string_order)
    order, fine = [], 0
    for coarse in range(wordlines):
        order.append((coarse, COARSE))
        while fine < wordlines and awaited[fine] <= coarse:
            order.append((fine, FINE))
            fine += 1
    return order


def most_open(wordlines: int, strings: int, string_order: str) -> int:
    """Return how many wordlines have to be written at most until the first of them can have its fine pass."""
    awaited = last_coarse(wordlines, strings, string_order)
    return max(coarse - wordline for wordline, coarse in enumerate(awaited)) + 1
