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


def test_a_page_in_slc_mode_that_takes_the_time_of_another_is_reported(experiment, interpreted, monkeypatch):
    changes = device(bits_per_cell=2, program_us=[100.0, 700.0], slc_program_us=50.0, over_provisioning=0.7)
    changes["ftl"] = {"slc_cache": {"blocks": 1}}
    unit = interpreted["ssdsim.flash.scheduler.unit"].TransactionSchedulingUnit
    queue = unit.submit

    def as_usual(self, transaction):
        queue(self, transaction)
        self.transactions.page_type[transaction] = self.timing.page_type[self.transactions.page[transaction]]

    out = experiment([{"rows": writes(1)}], changes, modules=interpreted)
    assert [c["page_type"] for c in out.commands] == [-1]
    monkeypatch.setattr(unit, "submit", as_usual)
    told = r"^integrity: the program of page 0 .* was of type 0 when it was queued, and is of type -1 now"
    with pytest.raises(interpreted["ssdsim.errors"].SimulationError, match=told):
        experiment([{"rows": writes(1)}], changes, modules=interpreted)
