"""Clients of others at a served drive: libnbd's, qemu's, fio, and a file system that goes through it."""

import json

import numpy as np
import pytest

from serve.conftest import serving

KIB = 1024


@pytest.fixture(scope="module")
def drive(tmp_path_factory):
    """A drive that all clients here share, one after another."""
    folder = tmp_path_factory.mktemp("drive")
    with serving(f"unix:{folder}/socket", folder / "results", 1) as running:
        running.uri, running.size = running.server.uri, running.drive.size_bytes
        yield running
    assert running.told[-1].startswith("Of ") and not running.server.sessions


@pytest.fixture
def image(drive, tmp_path):
    """A file as long as the drive: holes, and random data that begins and ends within pages."""
    path = tmp_path / "image"
    content = np.random.default_rng(3).bytes(700 * KIB)
    with path.open("wb") as file:
        file.truncate(drive.size)
        for place in (0, 3 * KIB * KIB + 512, drive.size - len(content)):
            file.seek(place)
            file.write(content)
    return path


def test_nbdcopy_brings_an_image_there_and_back(drive, client, image, tmp_path):
    client("nbdcopy", "--connections=4", image, drive.uri)
    client("nbdcopy", drive.uri, tmp_path / "back")
    assert (tmp_path / "back").read_bytes() == image.read_bytes()


def test_qemu_writes_reads_trims_and_zeroes(drive, client):
    commands = (
        *("write -P 0xab 1M 64k", "read -P 0xab 1M 64k", "write -z 1M 4k", "write -z -u 1032k 16k", "read -P 0 1M 4k"),
        *("read -P 0xab 1028k 4k", "read -P 0 1032k 16k", "read -P 0xab 1048k 40k", "write -f -P 7 1049088 512"),
        *("read -P 7 1049088 512", "discard 1M 64k", "read -P 0 1M 64k", "flush", "aio_write -P 1 2M 1M", "aio_flush"),
        "read -P 1 2M 1M",
    )
    told = client("qemu-io", "-f", "raw", *(word for text in commands for word in ("-c", text)), drive.uri)
    assert "failed" not in told and told.count("ops/sec") >= len(commands) - 3


def test_fio_finds_its_checksums(drive, client, tmp_path):
    client(
        *("fio", "--name=verify", "--ioengine=nbd", f"--uri={drive.uri}", "--rw=randwrite", "--bsrange=512-64k"),
        *("--iodepth=8", "--size=4m", "--verify=crc32c", "--verify_fatal=1", "--verify_state_save=0"),
        *("--fsync=16", "--randseed=5"),
        *("--output-format=json", f"--output={tmp_path}/fio.json"),
    )
    (job,) = json.loads((tmp_path / "fio.json").read_text())["jobs"]
    assert job["error"] == 0 and job["read"]["io_bytes"] == job["write"]["io_bytes"] == 4 * KIB * KIB


def test_a_port_of_this_machine_and_data_in_a_file(client, tmp_path):
    with serving("127.0.0.1:0", tmp_path / "results", 1, file=tmp_path / "data") as running:
        client("qemu-io", "-f", "raw", "-c", "write -P 5 1M 4k", running.server.uri)
    data = (tmp_path / "data").read_bytes()
    assert len(data) == running.drive.size_bytes and data[1 << 20 : (1 << 20) + 4096] == b"\5" * 4096
    assert data.count(5) == 4096
