"""The times of messages on the host's link, each equal to a sum written here, on both kernels."""

import pytest
import yaml

from ssdsim.command import PROJECT
from support.host_interfaces import SATA_LINK
from support.requests import GAP, flush, read, trim, write
from support.tiny_device import PAGE, READ_PAGE, WRITE_PAGE

BYTE = 2
"""What a byte of a packet takes on two lanes of 4 ns a byte each; all packets here have an even number of them."""

HEAD, PAYLOAD = 20, 1024
DOORBELL, FETCH, COMMAND, COMPLETION, RANGES = (BYTE * (HEAD + size) for size in (4, 0, 64, 16, 16))
DATA = BYTE * (PAGE + PAGE // PAYLOAD * HEAD)
"""What messages take, in ns; a request for data takes as long as one for the command."""

ARRIVED = DOORBELL + FETCH + COMMAND
LINK = {"lanes": 2, "lane_gt_s": 2.0, "line_code": "none", "payload_bytes": PAYLOAD, "overhead_bytes": HEAD}
TAKEN, SETUP = BYTE * (HEAD + 16), BYTE * (HEAD + 24)
HALF = {key: value for key, value in SATA_LINK.items() if key.endswith("_bytes")} | {
    "duplex": "half",
    "payload_bytes": PAYLOAD,
    "data_request_bytes": 24,
}
"""Messages as those of SATA."""


def on_link(**changes):
    return {"link": {**LINK, **changes}}


def test_a_request_of_each_kind_takes_the_sum_of_its_messages(run):
    out = run([write(0), read(0, GAP), trim(0, 2 * GAP), flush(3 * GAP)], on_link())
    to_device = [ARRIVED + FETCH + DATA, ARRIVED, ARRIVED + FETCH + RANGES, ARRIVED]
    links = [ns + back for ns, back in zip(to_device, [COMPLETION, DATA + COMPLETION, *2 * [COMPLETION]], strict=True)]
    assert [row["link_ns"] for row in out.requests] == links
    flash = [WRITE_PAGE, READ_PAGE, 0, 0]
    assert [row["response_ns"] for row in out.requests] == [sum(each) for each in zip(links, flash, strict=True)]
    assert out.summary["requests"]["read"]["response_us"]["link"] == links[1] / 1000


def test_messages_wait_for_those_before_them(run):
    """Both doorbells are rung before the first command comes, and both commands before any data."""
    out = run([write(0), write(1)], on_link())
    first = 2 * DOORBELL + 2 * COMMAND + DATA + COMPLETION
    assert [row["link_ns"] for row in out.requests] == [first, first + DATA]


def test_directions_of_a_link_send_at_once_unless_it_is_half_duplex(run):
    """A read is over in the device as the data of a write is on its way there."""
    early = 5000
    full = run([write(0), read(0, GAP), write(1, GAP + ARRIVED + READ_PAGE - early)], on_link())
    assert full.requests[1]["response_ns"] == ARRIVED + READ_PAGE + DATA + COMPLETION
    half = run([write(0), read(0, GAP), write(1, GAP + COMMAND + READ_PAGE - early)], on_link(**HALF))
    assert half.requests[0]["link_ns"] == COMMAND + TAKEN + SETUP + DATA + COMPLETION
    busy = COMMAND + TAKEN + SETUP + DATA - early
    assert half.requests[1]["response_ns"] == COMMAND + READ_PAGE + busy + SETUP + DATA + COMPLETION


def test_what_changes_data_keeps_the_order_of_its_commands(run):
    """A flush and a trim, which bring less than the write before them, do not overtake it."""
    out = run([(0, "write", 0, 4 * PAGE), flush(1), trim(0, 2, 4), read(0, GAP)], on_link())
    arrived = 4 * DATA + FETCH + ARRIVED
    assert out.done_at()[1] > arrived + 4 * WRITE_PAGE - 3 * PAGE
    assert out.done_at()[2] > arrived
    assert out.requests[3]["bus_ns"] == 0  # nothing is left to be read


READ_4_KIB = {  # doorbell, fetch, command, data and completion; each message in whole nanoseconds
    "pcie3_x4": 7 + 6 + 22 + 1138 + 10,  # 16 packets of 280 bytes: 1120 of a lane, 130/128 ns each
    "pcie4_x4": 4 + 3 + 11 + 569 + 5,
    "pcie5_x4": 2 + 2 + 6 + 284 + 3,
    "sata_6g": 53 + 67 + 6853 + 33,  # command, set-up, a frame of 4112 bytes, 5/3 ns each, and completion
    "mqsim": 8 + 8 + 25 + 1248 + 11,  # 32 packets of 156 bytes: 1248 of a lane, 1 ns each
}


@pytest.mark.parametrize("preset", READ_4_KIB)
def test_presets_carry_data_at_their_rates(experiment, preset):
    link = yaml.safe_load((PROJECT / "conf" / "link" / f"{preset}.yaml").read_text(encoding="utf-8"))
    out = experiment([{"rows": [write(0), read(0, GAP)]}], {"link": link})
    assert out.requests[1]["link_ns"] == READ_4_KIB[preset]
