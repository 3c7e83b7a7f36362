"""Whatever a file holds, it is replayed or refused in one printable sentence, in a time in proportion to its size."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ssdsim.config import TraceConfig
from ssdsim.errors import TraceError, shown
from ssdsim.workload import open_workload
from ssdsim.workload.formats import FORMATS
from ssdsim.workload.tracefile import MOST_LINE_BYTES
from support.trace_samples import SAMPLES

PIECES = [
    *(b"", b"\n", b"\r", b",", b" ", b"\t", b"-", b".", b"0", b"9" * 25, b"1e400", b"x", b"\0", b"\x1f", b"\x1b[2J"),
    *(
        b"\xff",
        "\u202e".encode(),
        "\u0663".encode(),
        b"7" * 5000,
        b"1,1 " * 20,
        b"<- (8,0)",
        b"\xef\xbb\xbf",
        b"0x" + b"f" * 5000,
    ),
]
SUFFIXES = ["", ".gz", ".bz2", ".xz", ".zst"]
CUTS = st.integers(0, 400)


def opened(path, **config):
    """Read a trace whole, or return why it is refused."""
    try:
        sum(len(chunk) for chunk in open_workload(TraceConfig(path=str(path), **config), 1 << 40, 4096, 1).chunks())
    except TraceError as refusal:
        return str(refusal)
    return ""


@st.composite
def damaged(draw):
    """Draw a sample of a format with a few pieces put in, or in the place of what stands there."""
    text = draw(st.sampled_from([*SAMPLES.values(), b""]))
    for _ in range(draw(st.integers(0, 3))):
        first, last = sorted((draw(CUTS), draw(CUTS)))
        text = (
            text[:first]
            + draw(st.sampled_from(PIECES) | st.binary(max_size=3))
            + text[draw(st.sampled_from([first, last])) :]
        )
    return text


@given(
    damaged(),
    st.sampled_from(["", "", *SUFFIXES]),
    st.none() | CUTS,
    st.sampled_from(PIECES),
    st.sampled_from(["auto", *FORMATS]),
)
@example(b"\x1f", "", None, b"", "auto")
@example(b" \x1f\n" + SAMPLES["msr"], "", None, b"", "msr")
@example(SAMPLES["msr"].replace(b"demo", b"7" * 5000), "", None, b"", "auto")
@example(SAMPLES["disksim"].replace(b"90112", b"7" * 5000), "", None, b"", "disksim")
@example(SAMPLES["etw"].replace(b"0x0000400000", b"0x" + b"f" * 5000), "", None, b"", "auto")
@example(SAMPLES["etw"].replace(b"TimeStamp,", b"TimeStamp\n"), "", None, b"", "auto")
def test_a_damaged_file_is_read_or_refused(folder, compressions, text, suffix, cut, after, name):
    path = folder / f"damaged{suffix}"
    path.write_bytes(compressions[suffix](text)[:cut] + after)
    for device in (None, "none"):
        refusal = opened(path, format=name, device=device)
        assert refusal.isprintable() and (not refusal or re.fullmatch(r".+\.", refusal))


LONG = {
    "digits after an x": (b"x" + b"1" * 100_000, "row 14: a line is longer than 65536 bytes"),
    "devices": (b"1,1 " * 16_000, "row 14: '1,1 1,1 .*[.]{3}' is no line of this format"),
    "blanks": (b"8,0 1" + b" " * 60_000 + b"x", "row 14: '8,0 1 +[.]{3}' is no line of this format"),
    "digits": (b"8,0 1 1 0." + b"1" * 60_000 + b"x", "row 14: '8,0 1 1 0[.]1+[.]{3}' is no line of this format"),
}


@pytest.mark.parametrize("name", LONG)
def test_a_long_line_is_refused_at_once(open_trace, name):
    """Patterns that try every place to begin, or every way to share digits out, would take minutes here."""
    line, message = LONG[name]
    text = "".join(f"  8,0 1 {n} 0.{n:09} 4001 Q W 2048 + 8 [demo]\n" for n in range(13)).encode() + line + b"\n"
    with pytest.raises(TraceError, match=message):
        open_trace(text)


def test_a_number_of_many_digits_is_refused_at_once(open_trace):
    with pytest.raises(TraceError, match=r"row 2, column 1: time '1+[.]{3}' is no number"):
        open_trace("1.250000 0 90112 63 1\n" + "1" * 60_000 + "x 0 90112 63 1\n")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_the_longest_line_allowed_is_read_and_a_longer_one_named(open_trace, suffix):
    line = "128166372010000000,{},0,Write,1048576,4096,2100\n"
    longest = "d" * (MOST_LINE_BYTES - len(line.format("")) + 1)
    assert open_trace(line.format("demo") * 70_000 + line.format(longest), suffix=suffix).requests == 70_001
    with pytest.raises(TraceError, match="row 70001: a line is longer than 65536 bytes"):
        open_trace(line.format("demo") * 70_000 + line.format(longest + "d"), suffix=suffix)


def test_devices_are_sorted_by_numbers_of_any_length(open_trace):
    names = ["7" * 5000, "disk10", "disk2", "disk" + "9" * 5000, "x", "disk010a"]
    rows = "".join(f"128166372010000000,{name},0,Write,0,4096,0\n" for name in names)
    found = open_trace(rows).describe()["device_names"]
    assert [name[:9] for name in found] == ["777777777", "disk2_0", "disk10_0", "disk010a_", "disk99999", "x_0"]


def test_what_a_trace_says_cannot_reach_the_terminal(open_trace):
    text = "128166372010000000,demo,0,\x1b[31mErase\u202e,0,4096,0\n"
    with pytest.raises(TraceError, match=re.escape(r"operation '\x1b[31mErase\u202e' is unknown")):
        open_trace("128166372010000000,demo,0,Write,0,4096,0\n" * 9 + text)
    with pytest.raises(TraceError, match=re.escape(r"to one of \x1b]0;me\x07_0")):
        open_trace("128166372010000000,\x1b]0;me\x07,0,Write,0,4096,0\n", device="x")
    assert shown("a\nb" + "c" * 100) == r"a\nb" + "c" * 57 + "..."
