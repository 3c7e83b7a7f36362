"""Orders of coarse and fine passes over the layers and strings of a block, from their table."""

from ssdsim._core.pass_order import COARSE, FINE, most_open, pass_order, place_of

from .canvas import BLUE, YELLOW, Canvas

LAYERS, STRINGS = 4, 3
WIDE, HIGH = 13, 8


def passes() -> str:
    """Return the picture: two orders of strings, each wordline with the steps in which it has its passes."""
    told = {"layer_first": "Layer first", "string_first": "String first"}
    canvas = Canvas(110, LAYERS * HIGH + 26)
    for column, (name, title) in enumerate(told.items()):
        shape = LAYERS * STRINGS, STRINGS, name
        step = {each: number for number, each in enumerate(pass_order(*shape))}
        left = 14 + column * 54
        canvas.text(left + STRINGS * WIDE / 2, 3, title, 9.5, fontweight="bold")
        for wordline in range(LAYERS * STRINGS):
            layer, string = place_of(wordline, *shape)
            x, y = left + string * WIDE, 11 + (LAYERS - 1 - layer) * HIGH  # layers lie on one another
            canvas.box(x + 0.5, y + 0.5, WIDE / 2 - 0.5, HIGH - 1, YELLOW)
            canvas.box(x + WIDE / 2, y + 0.5, WIDE / 2 - 0.5, HIGH - 1, BLUE)
            for place, kind in ((0.25, COARSE), (0.75, FINE)):
                canvas.text(x + place * WIDE, y + HIGH / 2, str(step[wordline, kind]), 9)
        for string in range(STRINGS):
            canvas.text(left + (string + 0.5) * WIDE, 8, f"String {string}", 8.5)
        for layer in range(LAYERS):
            canvas.text(left - 2, 11 + (LAYERS - 1 - layer + 0.5) * HIGH, f"Layer {layer}", 8, "right")
        told_open = f"Held in memory: at most {most_open(*shape)} wordlines"
        canvas.text(left + STRINGS * WIDE / 2, 15 + LAYERS * HIGH, told_open, 8)
    canvas.text(55, 22 + LAYERS * HIGH, "Numbers are steps: of the coarse pass (left) and of the fine one (right)", 8.5)
    return canvas.svg()
