"""Queue pairs, and the way of a command through them."""

from .canvas import BLUE, GREEN, GREY, YELLOW, Canvas

STEPS = (
    (6, "1", "the driver submits a request if there is room"),
    (10, "2", "the controller fetches commands: which queue is next, the arbitration says"),
    (14, "3", "the device executes it, among host.queue_depth others at most"),
    (18, "4", "its completion is posted, and the host is told: the response time ends here"),
)


def queue_pairs() -> str:
    """Return the picture."""
    canvas = Canvas(100, 64)
    canvas.box(2, 2, 96, 13, GREY)
    canvas.text(5, 5, "Host", 11, "left", fontweight="bold")
    canvas.text(13, 5, "and, in its memory, the queue pairs", 9, "left")
    canvas.box(2, 19, 96, 16, "#ffffff")
    canvas.box(2, 39, 96, 8, GREEN)
    canvas.text(50, 43, "Controller: arbitration, commands under way  ->  device", 10)
    for number, stream in enumerate(("main", "second", "third")):
        x = 6 + 31 * number
        canvas.box(x, 7, 27, 6, "#ffffff")
        canvas.text(x + 13.5, 10, f"stream {stream}")
        canvas.text(x + 13.5, 24, "queue pair", 8.5)
        queue(canvas, x + 2, 4 - number, BLUE)
        queue(canvas, x + 18, number, YELLOW)
        canvas.text(x + 6, 33, "submission", 7.5)
        canvas.text(x + 21, 33, "completion", 7.5)
        canvas.arrow((x + 5.5, 13), (x + 5.5, 26))
        canvas.arrow((x + 5.5, 34.5), (x + 5.5, 39))
        canvas.arrow((x + 21.5, 39), (x + 21.5, 34.5))
        canvas.arrow((x + 21.5, 26), (x + 21.5, 13))
        if not number:
            for step, place, height in (("1", 3.5, 17), ("2", 3.5, 37), ("4", 23.5, 37)):
                canvas.text(x + place, height, step, 9, fontweight="bold")
    canvas.text(94, 43, "3", 9, fontweight="bold")
    for y, number, words in STEPS:
        canvas.text(6, 44 + y, number, 9, fontweight="bold")
        canvas.text(9, 44 + y, words, 9, "left")
    return canvas.svg()


def queue(canvas: Canvas, x: float, filled: int, fill: str) -> None:
    """Draw a queue of five entries, so many of them in use."""
    for entry in range(5):
        canvas.box(x + 1.5 * entry, 26, 1.5, 5, fill if entry < filled else "#ffffff")
