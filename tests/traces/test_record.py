"""The recorder: made-up strace logs with answers worked by hand, and one real recording."""

import hashlib
import lzma
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from record import convert, main
from strace_log import Call, parse
from volume import EXTENT, PAGE

OPEN = 'openat(AT_FDCWD</d>, "f", O_RDWR|O_CREAT, 0666) = 3</d/f>'
WRITE = 'write(3</d/f>, ""..., 4096) = 4096'
FSYNC = "fsync(3</d/f>) = 0"
FLUSH = ("flush", 0, 0)


@pytest.fixture
def follow(tmp_path):
    """Convert calls, one a second and by process 1 unless a line says otherwise; returns requests and the unseen."""

    def run(*calls, sizes=None, cache=1 << 30):
        lines = [call if re.match(r"\d+ ", call) else f"1 {second}.000000 {call}" for second, call in enumerate(calls)]
        log = tmp_path / "log"
        log.write_text("".join(f"{line}\n" for line in lines))
        return convert(log, "/d", cache, sizes or {})

    return run


@pytest.fixture
def seen(follow):
    """Give only op, offset and size of each request."""
    return lambda *calls, **options: [tuple(request[1:]) for request in follow(*calls, **options)[0]]


def test_halves_of_calls_are_joined_across_threads():
    lines = [
        "7 10.000001 fsync(3</d/f> <unfinished ...>",
        "8 10.000002 pread64(4</d/g>,  <unfinished ...>",
        "7 10.000005 <... fsync resumed>)     = 0",
        '8 10.000009 <... pread64 resumed>""..., 512, 4096) = 512',
    ]
    fsync, pread = parse(lines)
    assert fsync == Call(7, 10_000_001_000, "fsync", "3</d/f>", 0, "")
    assert pread == Call(8, 10_000_002_000, "pread64", '4</d/g>, ""..., 512, 4096', 512, "")


def test_small_writes_become_one_page_written_when_synced(follow):
    requests, unseen = follow(OPEN, *['write(3</d/f>, ""..., 10) = 10'] * 3, FSYNC)
    assert requests == [(0, "write", 0, PAGE), (0, *FLUSH)] and not unseen


def test_a_forked_child_a_dup_and_their_parent_share_one_position(seen):
    child = '2 2.5 write(9</d/f>, ""..., 4096) = 4096'
    calls = [OPEN, "fcntl(3</d/f>, F_DUPFD_CLOEXEC, 9) = 9</d/f>", "fork() = 2", child, WRITE, FSYNC]
    assert seen(*calls) == [("write", 0, 2 * PAGE), FLUSH]


def test_threads_share_descriptors_and_children_do_not(seen):
    opening = '2 1.5 openat(AT_FDCWD</d>, "f", O_WRONLY|O_APPEND) = 3</d/f>'
    appended = [("write", PAGE, PAGE), FLUSH]
    thread = "clone3({flags=CLONE_VM|CLONE_FILES|CLONE_THREAD}, 88) = 2"
    assert seen("fork() = 9", thread, opening, WRITE, FSYNC, sizes={"/d/f": PAGE}) == appended
    assert seen("fork() = 9", "fork() = 2", opening, WRITE, FSYNC, sizes={"/d/f": PAGE}) == [("write", 0, PAGE), FLUSH]


def test_offsets_given_by_the_call_leave_the_position_alone(seen):
    calls = [
        OPEN,
        'pwrite64(3</d/f>, ""..., 4096, 40960) = 4096',
        'pwritev2(3</d/f>, [{iov_base=""..., iov_len=4096}], 1, 81920, 0) = 4096',
        'pwritev2(3</d/f>, [{iov_base=""..., iov_len=4096}], 1, -1, 0) = 4096',
        "lseek(3</d/f>, 0, SEEK_END) = 122880",
        WRITE,
        FSYNC,
    ]
    assert seen(*calls) == [*(("write", at * PAGE, PAGE) for at in (0, 10, 20, 30)), FLUSH]


def test_files_get_extents_in_the_order_of_first_touch(seen):
    other = [OPEN.replace("3<", "4<").replace("f", "g"), 'pwrite64(4</d/g>, ""..., 4096, 0) = 4096', "sync() = 0"]
    far = 'pwrite64(3</d/f>, ""..., 8192, 1044480) = 8192'
    assert seen(OPEN, far, *other) == [("write", EXTENT - PAGE, 2 * PAGE), ("write", 2 * EXTENT, PAGE), FLUSH]


def test_unlinking_trims_what_was_used_and_frees_the_extent(seen):
    again = [OPEN, WRITE, FSYNC]
    calls = [OPEN, WRITE, WRITE, FSYNC, 'unlink("f") = 0', *again]
    assert seen(*calls) == [("write", 0, 2 * PAGE), FLUSH, ("trim", 0, 2 * PAGE), ("write", 0, PAGE), FLUSH]


@pytest.mark.parametrize(
    "cut, trimmed",
    [
        ("ftruncate(3</d/f>, 5000) = 0", (2 * PAGE, PAGE)),
        ('truncate("/d/f", 4096) = 0', (PAGE, 2 * PAGE)),
        ("fallocate(3</d/f>, FALLOC_FL_KEEP_SIZE|FALLOC_FL_PUNCH_HOLE, 100, 8092) = 0", (PAGE, PAGE)),
        (OPEN.replace("O_CREAT", "O_TRUNC"), (0, 3 * PAGE)),
        ('creat("f", 0600) = 3</d/f>', (0, 3 * PAGE)),
        ('rename("/tmp/new", "../d/./f") = 0', (0, 3 * PAGE)),
        ('unlinkat(5</d>, "f", 0) = 0', (0, 3 * PAGE)),
    ],
)
def test_cuts_trim_the_whole_pages_they_free(seen, cut, trimmed):
    assert seen(OPEN, WRITE, WRITE, WRITE, FSYNC, cut)[2:] == [("trim", *trimmed)]


def test_files_keep_their_place_when_they_or_their_folder_move_or_a_link_remains(seen):
    moves = [
        'chdir("/d") = 0',
        'link("f", "h") = 0',
        'unlink("f") = 0',
        'rename("h", "sub/g") = 0',
        'rename("sub", "top") = 0',
        'pwrite64(3</d/top/g>, ""..., 4096, 4096) = 4096',
        "fsync(3</d/top/g>) = 0",
    ]
    assert seen(OPEN, WRITE, *moves) == [("write", 0, 2 * PAGE), FLUSH]


def test_other_folders_do_not_count_and_what_cannot_be_followed_is_counted(follow):
    requests, unseen = follow(
        'write(4</dd/f>, ""..., 4096) = 4096',
        "fsync(5<socket:[99]>) = 0",
        "mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_SHARED, 3</d/f>, 0) = 0x7f0000000000",
        "mmap(NULL, 4096, PROT_READ, MAP_SHARED, 3</d/f>, 0) = 0x7f0000000000",
        "sendfile(1</dev/null>, 3</d/f>, NULL, 10) = 10",
        'write(3</d/f>(deleted), ""..., 4096) = 4096',
        "ftruncate(3</d/f>, damaged) = 0",
    )
    damaged = "ftruncate with arguments not understood"
    assert requests == [] and unseen == {"mmap": 1, "sendfile": 1, "call on a deleted file": 1, damaged: 1}


def test_a_read_goes_to_the_device_only_when_the_page_is_not_cached(seen):
    reads = [f'pread64(3</d/f>, ""..., 4096, {page * PAGE}) = 4096' for page in (0, 1, 0, 2, 1)]
    missed = [("read", page * PAGE, PAGE) for page in (0, 1, 2, 1)]
    assert seen(OPEN, *reads, cache=2 * PAGE) == missed


def test_a_partial_write_first_reads_the_page_whose_old_bytes_it_keeps(seen):
    small = [f'pwrite64(3</d/f>, ""..., 100, {at}) = 100' for at in (5000, 3 * PAGE - 50, 3 * PAGE + 50)]
    assert seen(OPEN, *small, sizes={"/d/f": 3 * PAGE}) == [
        ("read", PAGE, PAGE),
        ("read", 2 * PAGE, PAGE),
        ("write", PAGE, 3 * PAGE),
    ]


def test_pages_left_dirty_are_written_at_the_first_wake_up_after_30_s(follow):
    later = '1 100.0 pread64(3</d/f>, ""..., 4096, 8192) = 4096'
    # The flusher wakes every 5 s from the first call on, at 0 s; the page is dirty since 1 s and due at 31 s.
    requests, _ = follow(OPEN, WRITE, later)
    assert requests == [(0, "write", 0, PAGE), (65 * 10**9, "read", 2 * PAGE, PAGE)]


def test_synchronous_descriptors_flush_every_write(seen):
    opening = OPEN.replace("O_CREAT", "O_DSYNC")
    assert seen(opening, WRITE, WRITE) == [("write", 0, PAGE), FLUSH, ("write", PAGE, PAGE), FLUSH]


PROGRAM = """
import os
f = os.open("data", os.O_RDWR | os.O_CREAT)
os.write(f, bytes(5000)); os.fsync(f)
if os.fork() == 0:
    os.write(f, bytes(5000)); os._exit(0)
os.wait(); os.fdatasync(f); os.unlink("data")
"""


@pytest.mark.skipif(not shutil.which("strace"), reason="strace is not installed")
def test_a_real_program_is_recorded(tmp_path, monkeypatch, capsys):
    if subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True).returncode:
        pytest.skip("ptrace is not allowed here")
    monkeypatch.chdir(tmp_path)
    assert main(["--output", "t.csv.xz", "--", sys.executable, "-c", PROGRAM]) == 0
    header, *rows = lzma.decompress(Path("t.csv.xz").read_bytes()).decode().splitlines()
    assert header == "arrival_ns,op,offset_bytes,size_bytes"
    assert [row.split(",", 1)[1] for row in rows] == [
        "write,0,8192",
        "flush,0,0",
        "write,4096,8192",
        "flush,0,0",
        "trim,0,12288",
    ]
    assert hashlib.sha256(Path("t.csv.xz").read_bytes()).hexdigest() in capsys.readouterr().out


@pytest.mark.skipif(not shutil.which("strace"), reason="strace is not installed")
def test_a_command_that_fails_leaves_no_trace(tmp_path, capsys):
    assert main(["--output", str(tmp_path / "t.csv"), "--under", str(tmp_path), "--", "false"]) == 2
    error = capsys.readouterr().err
    assert "exit status 1" in error or "could not trace" in error
    assert not (tmp_path / "t.csv").exists()


@pytest.mark.parametrize(
    "arguments, complaint",
    [
        (["--output", "t.zip", "--", "true"], "let its name end in .xz"),
        (["--output", "old.csv", "--", "true"], "exists already"),
        (["--output", "no/t.csv", "--", "true"], "no does not exist"),
        (["--output", "t.csv", "--", "no-such-command"], "not found"),
        (["--output", "t.csv", "--strace-log", "old.csv"], "was read or written"),
        (["--output", "t.csv", "--strace-log", "no.log"], "No such file"),
    ],
)
def test_what_the_user_can_mend_is_said_in_one_line(tmp_path, monkeypatch, capsys, arguments, complaint):
    monkeypatch.chdir(tmp_path)
    Path("old.csv").write_bytes(b"\x00\xff not a log\n")
    monkeypatch.setattr(shutil, "which", lambda name: None if name == "no-such-command" else name)
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert complaint in error and error.count("\n") == 1
