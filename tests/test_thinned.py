"""A usual run of a thinned grid and the rest of it are the whole grid, and the usual run has every value."""

import pytest

from support import thinned

AXES = (["a", "b", "c"], [1, 2], [None, 0.5, [3]])


@pytest.mark.parametrize("every_case", [False, True])
def test_a_part_has_every_value_and_the_rest_is_marked(monkeypatch, every_case):
    monkeypatch.setattr(thinned, "EVERY_CASE", every_case)
    cases = thinned.grid(0.5, *AXES)
    usual = [case.values for case in cases if not case.marks]
    rest = [case.values for case in cases if case.marks]
    assert all(case.marks[0].name == "more" for case in cases if case.marks)
    assert (len(usual), len(rest)) == ((18, 0) if every_case else (9, 9))
    assert len({repr(case.values) for case in cases}) == 18
    assert all({repr(case[axis]) for case in usual} == set(map(repr, values)) for axis, values in enumerate(AXES))


def test_a_share_too_small_for_all_values_grows():
    usual = [case.values for case in thinned.grid(0.01, range(5), "ab", [None]) if not case.marks]
    assert {first for first, *_ in usual} == set(range(5)) and len(usual) <= 6
