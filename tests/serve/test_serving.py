"""A served drive beside the wall's clock: what a client waits for, the load that is kept, and drives in disorder."""

import socket
from time import perf_counter_ns

import pytest

from serve.conftest import serving
from ssdsim import load_config, simulate
from ssdsim.errors import InputError
from ssdsim.serve import session
from ssdsim.serve.address import Address
from support.nbd_client import FLUSH, HANDSHAKE_FLAGS, READ, TRIM, WRITE, Client, command


def test_a_reply_takes_the_time_simulated_and_the_load_is_repeated_to_the_nanosecond(tmp_path):
    slow, page = 8, 4096
    with serving(f"unix:{tmp_path}/socket", tmp_path / "results", slow) as running:
        client = Client(tmp_path / "socket")
        asked = [
            *[(WRITE, n * page, page, bytes(page), 0) for n in range(40)],
            *[(READ, 512 * n, 3 * page) for n in range(20)],
            (WRITE, 0, page, bytes(page), 1),
            (FLUSH, 0, 0),
            (TRIM, 8 * page, 4 * page),
        ]
        waits_ns = []
        for request in asked:
            begun_ns = perf_counter_ns()
            assert client.ask(*request)[0] == 0
            waits_ns.append(perf_counter_ns() - begun_ns)
        # side by side, and from two connections
        other = Client(tmp_path / "socket")
        for cookie in range(30):
            for one in (client, other):
                one.socket.sendall(command(WRITE, cookie * page, payload=bytes(2 * page), cookie=cookie))
        for one in (client, other):
            assert {one.reply()[0] for _ in range(30)} == {*range(30)}
            one.close()
    requests = running.result.requests.to_pydict()
    assert len(requests["op"]) == len(asked) + 60
    for wait_ns, response_ns in zip(waits_ns, requests["response_ns"], strict=False):
        assert wait_ns >= slow * (response_ns - 1)  # less than a ns of which is over as it comes
    again = simulate(load_config(tmp_path / "results"))
    assert again.requests.to_pydict() == requests


def test_a_client_that_breaks_the_protocol_is_dropped_and_others_go_on(tmp_path):
    with serving(f"unix:{tmp_path}/socket", tmp_path / "results", 1) as running:
        running.loop.call_soon_threadsafe(running.server.cut_power)  # without the data in the cells the power stays on
        kept, broken = Client(tmp_path / "socket"), Client(tmp_path / "socket")
        broken.socket.sendall(command(READ, 0, 512, magic=1))
        with pytest.raises((EOFError, ConnectionError)):
            broken.reply()
        rude = socket.socket(socket.AF_UNIX)
        rude.connect(str(tmp_path / "socket"))
        rude.sendall(HANDSHAKE_FLAGS + b"IHAVE")
        rude.close()  # within a message
        assert kept.ask(READ, 0, 512) == (0, bytes(512))
        kept.close()
    assert running.told[1] == "integrity=off: must be on for a drive whose power is cut. The power stays on."
    assert running.told[2] == "A client is dropped: it begins a command with 0x1, not with 0x25609513."


def test_idle_connections_keep_nobody_out(tmp_path, monkeypatch):
    """Three there may be: of those that say nothing the oldest are dropped, and one that has agreed is not."""
    monkeypatch.setattr(session, "MOST_SESSIONS", 3)
    with serving(f"unix:{tmp_path}/socket", tmp_path / "results", 1) as running:
        first, idle = Client(tmp_path / "socket"), []
        for _ in range(10):
            idle.append(socket.socket(socket.AF_UNIX))
            idle[-1].connect(str(tmp_path / "socket"))
        failed = {"message": "socket.accept() out of system resource", "exception": OSError(), "socket": None}
        running.loop.call_soon_threadsafe(running.server.fail, running.loop, failed)
        last = Client(tmp_path / "socket")
        assert [client.ask(READ, 0, 512)[0] for client in (first, last)] == [0, 0]
        for each in (first, last, *idle):
            each.close()


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("unix:/tmp/a:b", Address(path="/tmp/a:b")),
        ("127.0.0.1:10809", Address(host="127.0.0.1", port=10809)),
        ("[::1]:7", Address(host="::1", port=7)),
        ("0.0.0.0:10809", "no loopback address"),
        ("127.0.0.1:65536", "must be unix:PATH or HOST:PORT"),
    ],
)
def test_only_this_machine_is_listened_to(text, address):
    if isinstance(address, Address):
        assert Address.parse(text) == address
    else:
        with pytest.raises(InputError, match=address):
            Address.parse(text)
