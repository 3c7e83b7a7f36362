"""However a trace is cut into blocks, compressed and ordered, the same requests are read."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.workloads import rows

REQUESTS = st.lists(
    st.tuples(
        st.integers(0, 10**12), st.integers(0, 1), st.integers(0, 11), st.integers(0, 1 << 30), st.integers(1, 99)
    ),
    min_size=1,
    max_size=30,
)


def msr(t, op, dev, off, size):
    return f"{128166372000000000 + t},demo,{dev},{('Read', 'Write')[op]},{off * 512},{size * 512},77"


@settings(
    max_examples=settings.default.max_examples // 5,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    requests=REQUESTS,
    block_bytes=st.integers(1, 500),
    suffix=st.sampled_from(["", ".gz", ".bz2", ".xz", ".zst"]),
)
def test_neither_block_size_nor_compression_matters(open_trace, requests, block_bytes, suffix):
    """Of each request there is one of no size, too."""
    both = [(*request, size) for *request, most in requests for size in (most, 0)]
    text = "".join(msr(t, op, dev, off, size) + "\n" for t, op, dev, off, size in both)
    plainly = open_trace(text)
    assert plainly.describe()["skipped"] == {"zero size": len(requests)}
    expected_rows, expected_report = rows(plainly), plainly.describe()
    otherwise = open_trace(text, block_bytes=block_bytes, suffix=suffix)
    assert rows(otherwise) == expected_rows
    report = otherwise.describe()
    assert {**report, "path": ""} == {**expected_report, "path": ""}
