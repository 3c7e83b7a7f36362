"""A checkpoint is read if the user saved it or trusts it, and not if anybody else made it."""

import json
import stat
import zlib
from pathlib import Path

import attrs
import pytest

from experiments.trust import main
from ssdsim import ConfigError, simulate
from ssdsim.errors import InputError
from ssdsim.run import checkpoint, signature
from support.tiny_stacks import configured

SMALL = [
    *("hardware.channels=1", "hardware.chips_per_channel=1", "hardware.blocks_per_plane=32"),
    *("hardware.over_provisioning=0.5", "workload=synthetic", "workload.requests=50", "precondition=fill"),
]


def with_checkpoint(**given):
    config = configured(*SMALL)
    return attrs.evolve(config, checkpoint=attrs.evolve(config.checkpoint, **given))


@pytest.fixture
def home(tmp_path, monkeypatch):
    """Give what makes one somebody else."""

    def become(name):
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / name))

    become("mine")
    return become


@pytest.fixture
def theirs(home, tmp_path):
    """Return a checkpoint of somebody else."""
    home("theirs")
    file = tmp_path / "device.checkpoint"
    simulate(with_checkpoint(save=str(file)))
    home("mine")
    return file


@pytest.mark.parametrize("has_key", [True, False])
def test_a_file_of_somebody_else_is_refused_unseen(theirs, has_key, monkeypatch):
    if has_key:
        signature.signing_key()
    monkeypatch.setattr(checkpoint, "_parsed", None)  # which would fail if it were called
    told = r"device\.checkpoint: was not saved by you .*python -m experiments\.trust .*device\.checkpoint\.$"
    with pytest.raises(InputError, match=told) as raised:
        simulate(with_checkpoint(load=str(theirs)))
    assert raised.value.exit_status == 2
    assert signature.key_file().exists() == has_key


def test_a_file_of_somebody_else_is_loaded_once_it_is_trusted(theirs, capsys):
    own = simulate(with_checkpoint()).timeseries
    assert main([str(theirs)]) == 0
    assert "a preconditioned device; it is loaded" in capsys.readouterr().out
    assert simulate(with_checkpoint(load=str(theirs))).timeseries == own


def test_trust_is_of_what_was_in_the_file(theirs):
    checkpoint.trust(theirs)
    content = theirs.read_bytes()
    magic, header, rest = content.split(b"\n", 2)
    changed = magic + b"\n" + json.dumps(json.loads(header) | {"facts": {}}).encode() + b"\n"
    whole = changed + rest[: -signature.CRC_BYTES - signature.SIGNATURE_BYTES]
    crc = zlib.crc32(whole).to_bytes(signature.CRC_BYTES, "little")
    theirs.write_bytes(whole + crc + content[-signature.SIGNATURE_BYTES :])
    with pytest.raises(InputError, match="was not saved by you"):
        simulate(with_checkpoint(load=str(theirs)))


def of_header(header):
    """Return a file whose header is this, with the right checksum."""
    content = checkpoint.MAGIC + header + b"\n"
    crc = zlib.crc32(content).to_bytes(signature.CRC_BYTES, "little")
    return content + crc + bytes(signature.SIGNATURE_BYTES)


UNTRUSTED = {
    b"": "cannot be read as",
    b"what": "is no checkpoint",
    checkpoint.MAGIC: "is damaged",
    of_header(b"["): "cannot be read as",
    of_header(b"[]"): "cannot be read as",
    of_header(b'{"depends": {}}'): "cannot be read as",
    of_header(b'{"depends": {"content": "\\u001b[2J"}}'): "it holds neither a preconditioned device nor a run",
}


@pytest.mark.parametrize(("content", "told"), UNTRUSTED.items(), ids=range(len(UNTRUSTED)))
def test_what_cannot_be_trusted_is_told(home, tmp_path, content, told, capsys):
    file = tmp_path / "file"
    file.write_bytes(content)
    assert main([str(file)]) == 2
    assert told in capsys.readouterr().err
    assert file.read_bytes() == content


def test_a_file_that_is_not_there_is_told(tmp_path, capsys):
    assert main([str(tmp_path / "none")]) == 2
    assert "none: cannot be signed ([Errno 2] No such file" in capsys.readouterr().err


@pytest.fixture
def keeping(tmp_path):
    """Return a configuration that keeps its device in a folder that several people use, and that folder."""
    config = with_checkpoint(folder=str(tmp_path / "kept"))
    return attrs.evolve(config, precondition=attrs.evolve(config.precondition, keep=True)), tmp_path / "kept"


def is_taken(config):
    return simulate(config).summary["simulator"]["precondition_loaded"]


def test_each_one_takes_the_devices_of_ones_own(home, keeping):
    config, folder = keeping
    for _ in range(2):
        home("theirs")
        theirs = is_taken(config)
        home("mine")
        assert is_taken(config) == theirs
    assert theirs and len(list(folder.iterdir())) == 2


def test_a_device_of_somebody_else_in_the_place_of_ones_own_is_made_anew(home, keeping):
    config, folder = keeping
    home("theirs")
    is_taken(config)
    (theirs,) = folder.iterdir()
    home("mine")
    is_taken(config)
    (mine,) = {*folder.iterdir()} - {theirs}
    mine.write_bytes(theirs.read_bytes())
    with pytest.warns(UserWarning, match="was not saved by you .* It is made anew"):
        assert not is_taken(config)
    assert is_taken(config)


def test_a_device_is_not_kept_without_a_key(home, keeping):
    config, folder = keeping
    signature.signing_key()
    signature.key_file().write_bytes(b"short")
    for _ in range(2):
        with pytest.warns(UserWarning, match="the device is not kept: there is no key .* remove it"):
            assert not is_taken(config)
    assert not folder.exists()


def test_only_the_user_reads_the_key(home):
    key = signature.signing_key()
    file = signature.key_file()
    assert signature.signing_key() == key == file.read_bytes() and len(key) == signature.KEY_BYTES
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [each.name for each in file.parent.iterdir()] == [file.name]


def test_runs_at_a_time_make_one_key(home, monkeypatch):
    key = signature.signing_key()
    monkeypatch.setattr(signature, "known_key", lambda: None)  # as of a run that looked before
    assert signature.signing_key() == key


def test_a_key_that_cannot_be_kept_or_is_none_is_told(home, tmp_path):
    Path(tmp_path / "mine").write_text("no folder")
    with pytest.raises(ConfigError, match=r"checkpoint\.save=.*: cannot be written: .*set XDG_STATE_HOME to a folder"):
        simulate(with_checkpoint(save=str(tmp_path / "device")))
    assert not (tmp_path / "device").exists()
    (tmp_path / "mine").unlink()
    signature.signing_key()
    signature.key_file().write_bytes(b"")
    with pytest.raises(ConfigError, match="has not the 32 bytes of a key; remove it"):
        simulate(with_checkpoint(save=str(tmp_path / "device")))
