"""Writes that are complete only when they are in flash, drawn at random: each with FUA, or all of a buffer."""

from typing import Any

from hypothesis import strategies as st


def forced() -> st.SearchStrategy[dict[str, Any]]:
    """Draw which requests of a stream have FUA."""
    return st.fixed_dictionaries({"fua_every": st.sampled_from([0, 0, 1, 3])})


def written_through() -> st.SearchStrategy[dict[str, Any]]:
    """Draw whether a write buffer writes through."""
    return st.fixed_dictionaries({"write_through": st.sampled_from([False, False, True])})
