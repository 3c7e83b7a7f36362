"""The cases that a fuzzer of the readers begins with, and what Hypothesis makes of them; `tests/fuzz.py` goes on."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.fuzzed_readers import BLOCKS, COMPRESSIONS, HEADER, NAMES, WAYS, cases, read

CASES = list(cases())
HEADERS = st.tuples(*(st.integers(0, len(each) - 1) for each in (NAMES, COMPRESSIONS, WAYS, BLOCKS))).map(bytes)


@st.composite
def mutated(draw):
    """Draw a case of which some bytes are others, left out, doubled, or those of another case."""
    data = bytearray(draw(st.sampled_from(CASES))[HEADER:])
    for _ in range(draw(st.integers(0, 6))):
        first = draw(st.integers(0, len(data)))
        count = draw(st.integers(0, 40))
        other = draw(st.sampled_from(CASES))
        data[first : first + count] = draw(
            st.binary(max_size=8) | st.sampled_from([b"", data[first : first + count] * 2, other[HEADER:][:count]])
        )
    return draw(HEADERS) + bytes(data)


@pytest.mark.parametrize("every", [7, pytest.param(1, marks=pytest.mark.more)])
def test_the_cases_to_begin_with_are_read_or_refused(folder, every):
    ends = [read(case, folder / "case") for case in CASES[::every]]
    assert ends.count("") > len(ends) // 2, "most of them are whole"


@settings(max_examples=settings.default.max_examples * 2)
@given(mutated())
def test_any_file_is_read_or_refused_at_its_place(folder, case):
    read(case, folder / "mutated")
