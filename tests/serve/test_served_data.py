"""The bytes of a served drive: as an array of bytes would hold them, in memory and in a file."""

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ssdsim.serve.data import Data

SIZE = 1 << 16
PLACES = st.integers(0, SIZE // 512 - 1).map(lambda sector: sector * 512)
STEPS = st.lists(st.tuples(st.sampled_from(["write", "trim", "zero"]), PLACES, PLACES, st.integers(1, 255)))


@pytest.mark.parametrize("is_file", [False, True])
def test_data_is_that_of_an_array(tmp_path_factory, is_file):
    path = tmp_path_factory.mktemp("data") / "drive" if is_file else None

    @settings(max_examples=2 * settings.default.max_examples)
    @given(steps=STEPS)
    def run(steps):
        with Data(SIZE, path) as data:
            held = bytearray(data.read(0, SIZE))  # of a file, what the example before has left
            for name, place, other, value in steps:
                begin, end = sorted((place, other + 512))
                content = bytes([value]) * (end - begin) if name == "write" else bytes(end - begin)
                held[begin:end] = content
                if name == "write":
                    data.write(begin, content)
                elif name == "trim":
                    data.trim(begin, end - begin)
                else:
                    data.zero(begin, end)
            assert data.read(0, SIZE) == held

    run()
    if is_file:
        assert path.stat().st_size == SIZE


def test_what_is_damaged_is_not_read_until_it_is_changed():
    with Data(SIZE) as data:
        data.write(0, b"x" * SIZE)
        data.damage(4096, 4096)
        assert data.read(0, 4096) == data.content(4096, 4096) == b"x" * 4096
        with pytest.raises(OSError, match="destroyed when power was lost"):
            data.read(0, 4097)
        data.write(4096, b"y" * 512)
        data.trim(5120, 3072)
        with pytest.raises(OSError, match="destroyed"):
            data.read(4608, 512)
        data.zero(4608, 5120)
        assert data.read(4096, 4096) == b"y" * 512 + bytes(3584)


def test_trimmed_pages_take_no_room_and_a_longer_file_is_refused(tmp_path):
    path = tmp_path / "drive"
    with Data(SIZE, path) as data:
        data.write(0, b"x" * SIZE)
        data.trim(4096, SIZE - 8192)
        assert 512 * path.stat().st_blocks <= 2 * 4096
        assert data.read(4000, 200) == b"x" * 96 + bytes(104)
    os.truncate(path, SIZE + 1)
    with pytest.raises(OSError, match="longer than the drive"):
        Data(SIZE, path)
