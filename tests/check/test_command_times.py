"""A command that is over before its slowest page can be is reported, wherever sectors have contents."""

import pytest

from support.planes import LATER, device
from support.requests import read, writes


def test_an_array_that_is_held_too_briefly_is_reported(experiment, interpreted, monkeypatch):
    changes = device(bits_per_cell=2, program_us=[100.0, 700.0])
    changes["flash"]["joined_programs"] = "any_page"
    # Behind a read page 2 of plane 1, a slow one, joins page 0 of plane 0.
    rows = [*writes(1), *writes(3, at=LATER), read(1, 2 * LATER), *writes(5, 0, at=2 * LATER + 1)]
    controller = interpreted["ssdsim.flash.controller"].FlashController

    def of_first_page(self, first):
        return self.timing.array_ns(self.transactions.op[first], self.transactions.page_type[first])

    experiment([{"rows": rows}], changes, modules=interpreted)
    monkeypatch.setattr(controller, "array_ns", of_first_page)
    told = r"^integrity: the program of page 2 of block 8 .* held the array for 100000 ns; .* takes 700000 ns\.$"
    with pytest.raises(interpreted["ssdsim.errors"].SimulationError, match=told):
        experiment([{"rows": rows}], changes, modules=interpreted)


def test_a_request_that_is_too_fast_on_link_or_processor_is_reported(experiment, interpreted, monkeypatch):
    changes = {"link": {"lanes": 1}, "controller": {"read_ns": 500.0, "cores": 2}}
    direction = interpreted["ssdsim.controller.link"].Direction
    rows = [*writes(0, 1), read(0, LATER), read(1, LATER)]
    experiment([{"rows": rows}], changes, modules=interpreted)
    monkeypatch.setattr(direction, "occupy", lambda self, duration_ns: setattr(self, "free_ns", self.link.env.now + 1))
    told = r"^integrity: request 1 was on the host's link for \d+ ns .* takes \d{4} there at least"
    with pytest.raises(interpreted["ssdsim.errors"].SimulationError, match=told):
        experiment([{"rows": rows}], changes, modules=interpreted)
