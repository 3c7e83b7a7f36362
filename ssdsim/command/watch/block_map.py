"""The map of all blocks: a cell a block, a row a plane."""

from typing import Any, ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.events import Click, Resize
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from ssdsim.run.state import State

from .panels import OPERATION_MARKS, STATE_MARKS, ground, shade

LABEL = 5
"""Characters of a row before its first block."""

CHOSEN = Style(color="#000000", bgcolor="#ffffff", bold=True)


class BlockMap(ScrollView, can_focus=True):
    """Shows a state; only what is in sight is drawn, so that a device may be large.

    A cell has two letters, or one if they do not fit: what a die does with the block or, if it does nothing, what is
    special about its state; and the tenths of its pages that are valid.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "move(-1, 0)", show=False),
        Binding("right", "move(1, 0)", show=False),
        Binding("up", "move(0, -1)", show=False),
        Binding("down", "move(0, 1)", show=False),
    ]

    class Chosen(Message):
        """Another block has been chosen."""

    def __init__(self, planes: int, blocks_per_plane: int, **given: Any):
        super().__init__(**given)
        self.planes, self.blocks_per_plane = planes, blocks_per_plane
        self.chosen = 0
        self.state: State | None = None
        self.at_work: dict[int, str] = {}

    @property
    def cell(self) -> int:
        """The characters of a cell."""
        return 2 if LABEL + 2 * self.blocks_per_plane <= self.size.width else 1

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return the lines that all rows take, and the bar below them if they are longer than the screen is wide."""
        return self.planes + (LABEL + self.blocks_per_plane > width)

    def show(self, state: State) -> None:
        """Show a state."""
        self.state = state
        self.at_work = {page.block: die.op for die in state.dies if die.op is not None for page in die.pages}
        self.refresh()

    def on_resize(self, _: Resize) -> None:
        """Have the cells fit."""
        self.virtual_size = Size(LABEL + self.cell * self.blocks_per_plane, self.planes)
        self.refresh()

    def on_click(self, click: Click) -> None:
        """Choose the block that is clicked at."""
        place = click.get_content_offset(self)
        if place is not None:
            column = (place.x + self.scroll_offset.x - LABEL) // self.cell
            self.choose(place.y + self.scroll_offset.y, column)

    def action_move(self, right: int, down: int) -> None:
        """Choose a neighbour of the block that is chosen."""
        plane, column = divmod(self.chosen, self.blocks_per_plane)
        self.choose(plane + down, column + right)

    def choose(self, plane: int, column: int) -> None:
        """Choose a block, if there is one, and have it in sight."""
        if 0 <= plane < self.planes and 0 <= column < self.blocks_per_plane:
            self.chosen = plane * self.blocks_per_plane + column
            self.scroll_to_region(Region(LABEL + column * self.cell, plane, self.cell, 1), animate=False)
            self.refresh()
            self.post_message(self.Chosen())

    def render_line(self, y: int) -> Strip:
        """Draw a row, as far as it is in sight."""
        left, plane = self.scroll_offset.x, y + self.scroll_offset.y
        if self.state is None or plane >= self.planes:
            return Strip.blank(self.size.width, self.rich_style)
        cell = self.cell
        first = max((left - LABEL) // cell, 0)  # of the cells in sight
        last = min((left + self.size.width - LABEL) // cell + 1, self.blocks_per_plane)
        # the label goes out of sight with the first blocks
        segments = [Segment(f"{plane:>{LABEL - 1}} ", self.rich_style + Style(dim=True))] if left < LABEL else []
        begin = 0 if left < LABEL else LABEL + first * cell
        for column in range(first, last):
            segments += self._cell(plane * self.blocks_per_plane + column, cell)
        # a cell may begin left of the edge
        return Strip(segments).crop_extend(left - begin, left - begin + self.size.width, self.rich_style)

    def _cell(self, block: int, width: int) -> list[Segment]:
        assert self.state is not None
        block_state = self.state.blocks[block]
        letter, hue = shade(block_state, len(self.state.page_types))
        op = self.at_work.get(block)
        # what is done to a block hides what it is
        mark = OPERATION_MARKS[op] if op is not None else STATE_MARKS.get(block_state.state)
        marked = [] if mark is None else [Segment(mark[0], ground(mark[1], bold=True))]
        if width == 1:
            cell = marked or [Segment(letter, ground(hue))]
        else:
            cell = [*(marked or [Segment(" ", ground(hue))]), Segment(letter, ground(hue))]
        return [Segment(segment.text, CHOSEN) for segment in cell] if block == self.chosen else cell
