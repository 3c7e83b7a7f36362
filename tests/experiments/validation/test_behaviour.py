"""The checksums of what stacks do: equal for equal runs on every path, and different where a run is."""

import json

from experiments.validation import behaviour


def command(monkeypatch, *words):
    monkeypatch.setattr("sys.argv", ["behaviour", *words])
    return behaviour.main()


def test_runs_are_held_against_what_was_kept(monkeypatch, tmp_path, capsys):
    file = tmp_path / "kept.json"
    monkeypatch.setitem(behaviour.LOADS, "skewed", ["workload.requests=3000", *behaviour.LOADS["skewed"][1:]])
    assert command(monkeypatch, "--only", "baseline losing", "--keep", str(file)) == 0
    assert command(monkeypatch, "--only", "baseline losing", "--kernel", "simpy", "--against", str(file)) == 0
    kept = json.loads(file.read_text())
    assert set(kept["baseline losing power"]) == {"summary", "timeseries", "requests", "commands"}
    monkeypatch.setitem(behaviour.LOADS, "skewed", [*behaviour.LOADS["skewed"], "workload.align_kib=8"])
    assert command(monkeypatch, "--only", "baseline losing", "--against", str(file)) == 1
    assert "baseline losing power: commands, requests, summary, timeseries" in capsys.readouterr().out


def test_every_stack_has_a_run_of_each_kind():
    names = [name for name, _ in behaviour.cases()]
    assert len(names) == len(set(names))
    for kind in ("mixed", "skewed", "untimed"):
        assert sum(name.endswith(kind) for name in names) == 20
