"""The power of a served drive is cut: what was flushed is there, and what is lost is as it was before."""

from contextlib import suppress

from hypothesis import given
from hypothesis import strategies as st

from serve.conftest import serving
from ssdsim.serve.data import Data
from ssdsim.serve.journal import Journal
from support.nbd_client import FLUSH, READ, WRITE, Client, command

SECTORS = 8
CHANGES = st.lists(st.tuples(st.integers(0, SECTORS - 1), st.integers(1, 3), st.booleans()), max_size=12)


@given(
    changes=CHANGES,
    flushed=st.integers(-1, 12),
    later=st.integers(0, 4),
    cuts=st.lists(st.tuples(st.integers(0, 12), st.randoms())),
)
def test_a_sector_has_the_bytes_of_the_write_that_survived(changes, flushed, later, cuts):
    """What comes while a flush is under way, `later` changes, is not flushed with it."""
    size = 512 * (SECTORS + 3)
    with Data(size) as data:
        journal = Journal(data)
        history = [[(-1, False, b"\xff" * 512)] for _ in range(SECTORS + 3)]  # by sector: number, trim or not, bytes
        data.write(0, b"\xff" * size)
        for number, (sector, count, is_trim) in enumerate(changes):
            journal.note(number, 512 * sector, 512 * count, is_trim)
            content = bytes(512) if is_trim else bytes([number + 1]) * 512
            data.write(512 * sector, content * count)
            for place in range(sector, sector + count):
                history[place].append((number, is_trim, content))
            if number == flushed + later:
                journal.flushed(flushed)
                before = [sum(each[0] <= flushed for each in versions) - 1 for versions in history]
                history = [versions[first:] for first, versions in zip(before, history, strict=True)]
        for last, random in sorted(cuts, key=lambda cut: cut[0]):
            last = max(last, flushed)  # what was flushed has come to the drive
            survivors = []
            for place, versions in enumerate(history):
                # what was flushed, or has survived an earlier cut, stays; what is to come is no candidate
                done = [each for each in versions if each[0] <= last]
                chosen = random.choice(done)
                survivors.append(None if chosen[1] else chosen[0])
                if chosen[1]:  # a trim leaves nothing that would tell which one it was
                    chosen = [each for each in done if each[1]][-1]
                history[place] = [chosen, *versions[len(done) :]]
            journal.power_lost(lambda offset, known=survivors: known[offset // 512], last)
            assert data.read(0, size) == b"".join(versions[-1][2] for versions in history)


def test_a_page_that_was_destroyed_is_so_again_if_the_write_that_mended_it_is_lost():
    with Data(4096) as data:
        journal = Journal(data)
        data.damage(0, 1024)
        journal.note(0, 0, 512, False)
        data.write(0, b"a" * 512)
        journal.note(1, 0, 512, False)  # still to come to the drive
        data.write(0, b"b" * 512)
        journal.power_lost(lambda _: -1, 0)
        assert data.damaged == {1}
        journal.power_lost(lambda _: -1, 1)
        assert data.damaged == {0, 1}


def test_flushed_data_outlasts_a_cut_and_the_rest_is_old_or_new(tmp_path):
    page = 4096
    overrides = ("integrity=on", "buffer=lru", "buffer.size_mib=1")
    with serving(f"unix:{tmp_path}/socket", tmp_path / "results", 4, *overrides) as running:
        client = Client(tmp_path / "socket")
        for number in range(40):
            assert client.ask(WRITE, number * page, payload=b"a" * page)[0] == 0
        assert client.ask(FLUSH)[0] == 0
        for number in range(20):
            assert client.ask(WRITE, number * page, payload=b"b" * page)[0] == 0
        for number in range(20, 30):  # under way as the power goes
            client.socket.sendall(command(WRITE, number * page, payload=b"c" * page, cookie=number))
        running.loop.call_soon_threadsafe(running.server.cut_power)
        with suppress(EOFError, ConnectionError):
            for _ in range(11):  # of ten
                client.reply()
        client = Client(tmp_path / "socket")
        lost = {number for number in running.drive.simulation.lost_pages if number < 40}
        content = [client.ask(READ, number * page, page) for number in range(40)]
        client.close()
    # a program that was cut short may have destroyed others of its wordline
    assert {number for number, (error, _) in enumerate(content) if error} == lost
    assert {data for error, data in content[30:] if not error} <= {b"a" * page}
    assert {data for error, data in content[:20] if not error} <= {b"a" * page, b"b" * page}
    assert {data for error, data in content[20:30] if not error} <= {b"a" * page, b"c" * page}
    assert any(data == b"a" * page for _, data in content[:20])  # the buffer has lost them
    cut, ready = running.told[1:3]
    assert cut.startswith("The power was cut") and ready.startswith("The drive is ready again after ")
