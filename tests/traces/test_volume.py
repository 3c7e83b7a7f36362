"""The model of files on a device, against a naive one."""

from hypothesis import given
from hypothesis import strategies as st
from volume import EXTENT, MAX_REQUEST, PAGE, File, Volume

OPERATIONS = st.lists(
    st.tuples(
        st.sampled_from(["read", "write", "flush", "resize"]),
        st.integers(0, 2),
        st.integers(0, 2 * EXTENT),
        st.integers(1, 3 * PAGE),
    ),
    max_size=60,
)


@given(OPERATIONS, st.integers(1, 8))
def test_the_device_holds_the_pages_that_were_written_and_not_cut(operations, cache_pages):
    volume, files, written = Volume(cache_pages * PAGE), [File(), File(), File()], [set(), set(), set()]
    for time_ns, (op, chosen, offset, size) in enumerate(operations):
        file, pages = files[chosen], written[chosen]
        if op == "write":
            volume.write(time_ns, file, offset, size)
            pages.update(range(offset // PAGE, (offset + size - 1) // PAGE + 1))
        elif op == "read":
            volume.read(time_ns, file, offset, size)
        elif op == "flush":
            volume.flush(time_ns, [file])
        else:
            volume.resize(time_ns, file, offset)
            pages.difference_update({page for page in pages if page * PAGE >= offset})
    volume.flush(len(operations), files)

    held = set()
    for _, op, offset, size in volume.requests:
        assert offset % PAGE == size % PAGE == 0 and (size <= MAX_REQUEST or op == "trim")
        pages = set(range(offset // PAGE, (offset + size) // PAGE))
        held = held | pages if op == "write" else held - pages if op == "trim" else held
    places = [
        file.extents[page * PAGE // EXTENT] + page * PAGE % EXTENT
        for file, of in zip(files, written, strict=True)
        for page in of
    ]
    assert len(places) == len(set(places)) and held == {place // PAGE for place in places}
