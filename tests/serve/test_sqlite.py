# ruff: noqa: N802 - SQLite's names
"""SQLite on a served drive whose power is cut as it writes: what it has committed is there, and nothing by halves."""

from contextlib import suppress
from itertools import count
from random import Random
from struct import pack, unpack

import pytest

from serve.conftest import serving
from support.nbd_client import FLUSH, READ, WRITE, Client

apsw = pytest.importorskip("apsw", reason="apsw, by which SQLite reads and writes the drive, is not installed")

REGION = 4 << 20
"""Bytes of the drive that a file has: a sector with its size, and its content behind that."""
SECTOR = 512


class DriveFile:
    """A file of SQLite's: a part of a drive, and the drive's own errors as those of a disk."""

    def __init__(self, client, first, syncs):
        self.client, self.first, self.syncs = client, first, syncs

    def ask(self, *arguments, **named):
        """Have the drive do a command, and return what it reads; raise SQLite's error if it fails."""
        try:
            error, data = self.client.ask(*arguments, **named)
        except (EOFError, ConnectionError):
            raise apsw.IOError("the drive is gone") from None
        assert not error
        return data

    def xFileSize(self):
        return unpack(">Q", self.ask(READ, self.first, SECTOR)[:8])[0]

    def xTruncate(self, size):
        self.ask(WRITE, self.first, payload=pack(">Q", size).ljust(SECTOR, b"\0"))

    def sectors(self, amount, offset):
        """Return the content of the sectors that some bytes are in, where these are, and where in the content."""
        begin, end = offset // SECTOR * SECTOR, -(-(offset + amount) // SECTOR) * SECTOR
        place = self.first + SECTOR + begin
        return self.ask(READ, place, end - begin), place, offset - begin

    def xRead(self, amount, offset):
        amount = min(amount, max(self.xFileSize() - offset, 0))
        if not amount:
            return b""
        content, _, skip = self.sectors(amount, offset)
        return content[skip : skip + amount]

    def xWrite(self, data, offset):
        content, place, skip = self.sectors(len(data), offset)
        self.ask(WRITE, place, payload=content[:skip] + bytes(data) + content[skip + len(data) :])
        if offset + len(data) > self.xFileSize():
            self.xTruncate(offset + len(data))

    def xSync(self, flags):
        if self.syncs:
            self.ask(FLUSH)

    def xSectorSize(self):
        return SECTOR

    def xDeviceCharacteristics(self):
        return 0

    def xFileControl(self, op, pointer):
        return False

    def xCheckReservedLock(self):
        return False

    def xLock(self, level):
        pass

    def xUnlock(self, level):
        pass

    def xClose(self):
        pass


class DriveFiles(apsw.VFS):
    """The files that SQLite has on a drive: a database and its journal."""

    def __init__(self, client, syncs):
        self.client, self.syncs = client, syncs
        super().__init__("drive", "")

    def file(self, name):
        """Return the file of this name."""
        text = name if isinstance(name, str) else name.filename()
        return DriveFile(self.client, REGION * text.endswith("-journal"), self.syncs)

    def xFullPathname(self, name):
        return name

    def xOpen(self, name, flags):
        flags[1] = flags[0]
        return self.file(name)

    def xAccess(self, name, flags):
        return not name.endswith("-wal") and self.file(name).xFileSize() > 0

    def xDelete(self, name, syncdir):
        self.file(name).xTruncate(0)
        if syncdir:
            self.file(name).xSync(0)


@pytest.mark.parametrize("syncs", [True, pytest.param(False, marks=pytest.mark.more)])
def test_what_is_committed_outlasts_a_cut_if_it_is_flushed(tmp_path, syncs):
    committed, random, is_whole = -1, Random(11), True
    overrides = ("integrity=on", "buffer=lru", "buffer.size_mib=1", "hardware.bits_used=1")
    with serving(f"unix:{tmp_path}/socket", tmp_path / "results", 2, *overrides) as running:
        for _ in range(4):
            files = DriveFiles(Client(tmp_path / "socket"), syncs)
            database = apsw.Connection("numbers", vfs="drive")
            try:
                database.execute("pragma temp_store = memory")
                database.execute("pragma synchronous = extra")  # else the journal's end is not flushed after a commit
                database.execute("create table if not exists numbers (number integer primary key, text)")
                ((last, rows),) = database.execute("select coalesce(max(number), -1), count(*) from numbers")
                ((state,),) = database.execute("pragma integrity_check")
                # the last may have been committed without the client's having heard of it
                is_whole = state == "ok" and rows == last + 1 and last in (committed, committed + 1)
            except apsw.Error:
                is_whole = False
            if not is_whole:
                break
            wait_s = random.uniform(0.2, 0.4)
            running.loop.call_soon_threadsafe(running.loop.call_later, wait_s, running.server.cut_power)
            with suppress(apsw.Error):
                for committed in count(last + 1):
                    database.execute("insert into numbers values (?, ?)", (committed, "x" * random.randrange(3000)))
            committed -= 1  # of the last nobody has said that it is
            with suppress(apsw.Error):
                database.close()
            files.unregister()
    assert committed >= 0
    assert is_whole == syncs  # without flushes it does not hold
