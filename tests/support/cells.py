"""What the cells of a device hold, where integrity is checked."""


def cells_in_use(data):
    """Return the images in the cells by physical page, but for pages that hold nothing."""
    return {ppa: image for ppa, image in enumerate(data.cells) if image is not None}
