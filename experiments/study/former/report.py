"""What a report says of where our numbers part from the paper's."""

from collections.abc import Iterable

from ..output import Output as Output
from .claims import Comparison, comparison_table

SHOWN = "What the runs show; what is not told of here is unexplained:"
UNEXPLAINED = "No run here shows why."


def parting(held: Iterable[Comparison], reasons: Iterable[str], lead: str = "") -> str:
    """Return how the section begins that says where and why our numbers part: those of `held` that do, and `reasons`.

    A reason that has nothing to say is empty.
    """
    disagreeing, told = [each for each in held if not each.agrees], [each for each in reasons if each]
    text = "## Where and why our numbers part from the paper's\n\n"
    if disagreeing:
        text += comparison_table(disagreeing) + f"\n{lead}{SHOWN if told else UNEXPLAINED}\n\n"
    return text + "".join(f"- {each}\n" for each in told)
