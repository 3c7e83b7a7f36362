"""What the bench measures by scale is the same work at every size and length; how fast is not for a test."""

import re
from functools import partial

import pytest

from experiments.validation import scale
from ssdsim.errors import ConfigError
from ssdsim.run.simulation import simulate


@pytest.mark.parametrize(("gib", "transactions"), [(1, 500_000), (4, 300_000)])
def test_transactions_are_as_many_as_asked_and_their_mix_is_the_same(gib, transactions):
    """Of a victim, which is drawn at random, four fifths are valid: five pages are written for one of the host's."""
    summary = simulate(scale.write_config(gib, transactions)).summary
    writes, moves = summary["requests"]["write"]["count"], summary["gc"]["page_moves"]
    assert writes + 2 * moves == pytest.approx(transactions, rel=0.25)
    assert summary["write_amplification"] == pytest.approx(1 / (1 - scale.VALID), rel=0.2)


@pytest.mark.parametrize("gib", scale.GIB)
def test_devices_are_as_large_as_they_are_called(gib):
    hardware = scale.write_config(gib, 1000).hardware
    assert hardware.planes * hardware.pages_per_plane * hardware.page_bytes == gib * 2**30


def test_a_run_in_a_process_of_its_own_answers_or_refuses():
    told = scale.in_a_process(partial(scale.replayed, 1, 9_000))
    assert told["us"] > 0 and told["amplification"] > 1 and told["peak_mib"] > 1
    with pytest.raises(ConfigError, match="memory"):
        scale.in_a_process(partial(scale.replayed, 2**20, 1000))
    with pytest.raises(ZeroDivisionError):
        scale.in_a_process(partial(scale.replayed, 0, 1000))


def test_the_floor_takes_time_by_transaction():
    assert scale.floor_us(1, 2, 400_000) > 0  # a hundred times what making the tables takes


def test_sizes_without_memory_are_left_out_and_ratios_are_to_the_smallest(monkeypatch, capsys):
    def least(gib, transactions, rounds):
        assert rounds == 2
        if gib == 1024:
            raise ConfigError("too large.")
        return {"us": 0.5 + gib / 128, "amplification": 5.0, "peak_mib": 1000.0 + gib, "floor_us": transactions / 4e6}

    monkeypatch.setattr(scale, "cheapest_round", least)
    scale.show(2, long=True)
    said = capsys.readouterr().out
    rows = [re.split(" {2,}", line.strip()) for line in said.splitlines() if re.match(r" +\d", line)]
    assert "1,024 GiB is left out: too large." in said
    assert rows[2] == ["128 GiB", "1.500", "2.95", "0.250", "6.0", "5.00", "1,128"]  # 1.5 / (0.5 + 1 / 128)
    assert [name for name, *_ in rows[3:]] == ["100,000", "1,000,000", "10,000,000", "100,000,000"]
