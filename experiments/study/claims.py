"""What a paper says of its results, held against ours."""

from collections.abc import Iterable

import attrs

from .tables import markdown, number


@attrs.frozen
class Comparison:
    """A number of ours beside the paper's.

    Its sign is its direction: a reduction below 0 is a rise. `slack` is a difference, in the number's own unit, that
    means nothing, such as half of the last digit that the paper prints.
    """

    what: str
    ours: float | None
    paper: float
    unit: str = "%"
    slack: float = 0.5

    @property
    def verdict(self) -> str:
        """Whether ours is within a third of the paper's, further off, or of the other direction."""
        if self.ours is None:
            return "not measured"
        if abs(self.ours - self.paper) <= max(abs(self.paper) / 3, self.slack):
            return "agrees"
        return "**other direction**" if self.ours * self.paper < 0 else "**off by more than a third**"

    @property
    def agrees(self) -> bool:
        """Whether nothing has to be explained."""
        return self.verdict == "agrees"

    def row(self) -> tuple[str, ...]:
        """Return the cells of a table: what, ours, paper, verdict."""
        return self.what, f"{number(self.ours)}{self.unit}", f"{number(self.paper)}{self.unit}", self.verdict


def comparison_table(comparisons: Iterable[Comparison]) -> str:
    """Return the table of `comparisons` in Markdown."""
    return markdown(["", "ours", "paper", ""], (each.row() for each in comparisons))
