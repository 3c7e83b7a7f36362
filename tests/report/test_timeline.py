"""A timeline holds what the logs of a run hold."""

import json
from collections import Counter, defaultdict
from itertools import pairwise
from types import SimpleNamespace

import attrs
import pytest

from ssdsim.command.cli import main
from ssdsim.metrics.folder import ResultFolder
from ssdsim.metrics.result import Result
from ssdsim.report.timeline import timeline_of
from ssdsim.run.simulation import simulate
from support.small_devices import load, small
from support.tiny_device import (
    ERASE,
    PAGE,
    PROGRAM,
    PROGRAM_COMMAND,
    READ,
    READ_COMMAND,
    TRANSFER,
    RequestList,
    tiny_config,
)

LOGS = ["requests", "commands"]


@pytest.fixture
def by_hand(tmp_path):
    """Return the folder of a run of a write, a read of the page and, at the same time, a write of another."""
    rows = [(0, "write", 0, PAGE), (1_000_000, "read", 0, PAGE), (1_000_000, "write", PAGE, PAGE)]
    config = tiny_config({"record": LOGS, "metrics": {"blame": True}, "workload": RequestList(rows=rows)})
    with ResultFolder(tmp_path / "run") as folder:
        simulate(config, folder)
    return tmp_path / "run"


@pytest.fixture(scope="module", params=["spd_plus", "pa_ssd", "pcftl", "dftl"])
def folder(request, tmp_path_factory):
    """Return the folder of a run of some hundred requests on a small device that collects garbage."""
    path = tmp_path_factory.mktemp("timeline") / "run"
    with ResultFolder(path) as place:
        simulate(attrs.evolve(load(small(request.param), 200), record=LOGS), place)
    return path


def slices(made):
    """Return the slices of the timeline with the name of their track and their times in ns, as a viewer reads them."""
    events = json.loads(json.dumps(made.events))
    named = {(each["pid"], each["tid"]): each["args"]["name"] for each in events if each["name"] == "thread_name"}
    return [
        SimpleNamespace(
            line=named[each["pid"], each["tid"]],
            name=each["name"],
            start_ns=round(each["ts"] * 1000),
            end_ns=round((each["ts"] + each["dur"]) * 1000),
            details=each["args"],
        )
        for each in events
        if each["ph"] == "X"
    ]


def lying_on(made):
    lines = defaultdict(list)
    for each in slices(made):
        lines[each.line].append(each)
    return lines


def flows(made, phase):
    """Return the number of each flow that begins (s) or ends (f), with its track and time."""
    return {each["id"]: (each["pid"], each["tid"], each["ts"]) for each in made.events if each["ph"] == phase}


def test_each_line_of_a_run_made_by_hand(by_hand):
    made = timeline_of(by_hand)
    lines = lying_on(made)
    begin = 1_000_000
    read_end = begin + READ_COMMAND + READ + TRANSFER
    spans = {name: sorted((each.start_ns, each.end_ns) for each in of) for name, of in lines.items()}
    first = (PROGRAM_COMMAND + TRANSFER, PROGRAM_COMMAND + TRANSFER + PROGRAM)
    second = tuple(read_end + each for each in first)
    assert spans["plane 0.0.0.0"] == [first, (begin + READ_COMMAND, begin + READ_COMMAND + READ), second]
    assert spans["bus 0"] == [
        (0, first[0]),
        (begin, begin + READ_COMMAND),
        (begin + READ_COMMAND + READ, read_end),
        (read_end, second[0]),
    ]
    assert spans["die 0.0.0"] == [(0, first[1]), (begin, read_end), (read_end, second[1])]
    assert spans["request 1"] == [(0, first[1]), (begin, read_end)]
    assert spans["request 2"] == [(begin, second[1])]
    assert [each.name for each in lines["plane 0.0.0.0"]] == ["program host lsb", "read host lsb", "program host lsb"]
    waits = {
        each.details["id"]: each.details.get("blame_own_reads_ns") for each in slices(made) if "id" in each.details
    }
    assert waits == {0: None, 1: None, 2: READ_COMMAND + READ + TRANSFER}
    assert {each.details["id"]: each.name for each in lines["request 1"] + lines["request 2"]} == {
        0: "write",
        1: "read",
        2: "write",
    }


def test_nothing_overlaps_and_all_commands_are_there(folder):
    made = timeline_of(folder)
    result = Result.load(folder)
    rows = result.commands.to_pylist()
    lines = lying_on(made)
    on_planes = [each for name, of in lines.items() if name.startswith("plane") for each in of]
    assert Counter(each.name.split()[0] for each in on_planes) == Counter(row["op"] for row in rows)
    for name, of in lines.items():
        kind = name.split()[0]
        of.sort(key=lambda each: (each.start_ns, -each.end_ns))
        for before, after in pairwise(of):
            apart = before.end_ns <= after.start_ns
            inside = after.end_ns <= before.end_ns  # pages of one command, on the bus
            assert apart or (kind == "bus" and inside), name
    erases = [each for each in on_planes if each.name.startswith("erase")]
    assert erases and all(each.end_ns - each.start_ns == ERASE for each in erases)


def test_flows_lead_from_each_request_to_its_pages(folder):
    made = timeline_of(folder)
    begins, ends = flows(made, "s"), flows(made, "f")
    rows = Result.load(folder).commands.to_pylist()
    assert begins.keys() == ends.keys() and len(ends) == sum(row["request"] >= 0 for row in rows) > 0
    places = {(each["pid"], each["tid"], each["ts"]): each["args"] for each in made.events if each["ph"] == "X"}
    for flow, place in begins.items():
        assert places[place]["id"] == places[ends[flow]]["request"]
        assert place[-1] <= ends[flow][-1]


def test_a_file_has_the_events_by_groups(folder, capsys):
    assert main(["timeline", str(folder)]) == 0
    assert capsys.readouterr().out == f"{folder / 'timeline.json'}\n"
    events = json.loads((folder / "timeline.json").read_text())["traceEvents"]
    assert events == timeline_of(folder).events
    groups = {each["pid"]: each["args"]["name"] for each in events if each["name"] == "process_name"}
    assert {"host", "channel 0"} <= set(groups.values())
    assert {each["pid"] for each in events} == groups.keys()


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["nowhere"], "not the folder of a finished run"),
        (["{run}", "--from", "1000"], "run: 0 commands were under way from 1000.0 s to the end; take another window."),
    ],
)
def test_what_cannot_be_shown_is_told_in_one_sentence(by_hand, capsys, given, told):
    assert main(["timeline", *(word.format(run=by_hand) for word in given)]) == 2
    assert told in (err := capsys.readouterr().err) and err.count("\n") == 1


def test_a_run_without_its_commands_is_told_what_to_record(tmp_path, capsys):
    with ResultFolder(tmp_path / "run") as folder:
        simulate(tiny_config({"workload": RequestList(rows=[(0, "write", 0, PAGE)])}), folder)
    assert main(["timeline", str(tmp_path / "run")]) == 2
    assert "record=[requests,commands]" in capsys.readouterr().err
