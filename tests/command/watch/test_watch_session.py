"""A watched run is the run, wherever it is taken, and going back finds all as it was."""

import re

import attrs
import pytest

from ssdsim import ConfigError, InputError, SyntheticConfig, preset, simulate
from ssdsim.command.watch import session as sessions
from ssdsim.command.watch.session import Session, course, followed
from ssdsim.report.happenings import us
from support.tiny_device import PAGE, READ_PAGE, WRITE_PAGE, RequestList, Run, tiny_config


def tiny(requests=200, **changes):
    load = SyntheticConfig(requests=requests, read_share=0.5, queue_depth=4)
    return tiny_config({"workload": load} | changes)


def seen(session):
    """Return all that can be seen of a session."""
    pages = [session.pages(block) for block in range(len(session.state.blocks))]
    return session.steps, session.now_ns, session.state, session.told, session.requests, session.ending, pages


STACKS = {"baseline": "pa_ssd_small", "pa_ssd": "pa_ssd_small", "flex_ftl": "flexftl_small", "spd": "spd_small"}


@pytest.mark.parametrize(
    ("stack", "kernel"),
    [
        ("baseline", "compiled"),
        ("flex_ftl", "simpy"),
        *(
            pytest.param(stack, kernel, marks=pytest.mark.more)
            for stack, kernel in [
                ("pa_ssd", "compiled"),
                ("pa_ssd", "simpy"),
                ("spd", "compiled"),
                ("flex_ftl", "compiled"),
            ]
        ),
    ],
)
def test_back_is_where_it_was(stack, kernel, monkeypatch):
    monkeypatch.setattr(sessions, "TAIL", 40)
    small = {"hardware.blocks_per_plane": 64} if stack == "baseline" else {}
    config = preset(stack, hardware=STACKS[stack], kernel=kernel, precondition="fill", **small)
    load = SyntheticConfig(requests=300, queue_depth=8, read_share=0.3)
    session = Session(attrs.evolve(config, workload=load))
    visited = {}
    for strides in (0, 1, 7, 60, 150):
        followed(session.forward(strides))
        visited[session.steps] = seen(session)
    assert len(visited) == 5 and visited[218][3]
    for step in (68, 218, 0, 8, 1):
        followed(session.to_step(step))
        assert seen(session) == visited[step]
    followed(session.forward(67))
    assert seen(session) == visited[68]
    followed(session.back(60))
    assert seen(session) == visited[8]
    followed(session.back(1000))
    assert seen(session) == visited[0]


@pytest.mark.parametrize("kernel", ["compiled", "simpy"])
def test_back_over_a_loss_of_power(kernel):
    session = Session(tiny(kernel=kernel, power_loss={"after_programs": 30}))
    while not any(each.happening.name == "power_cut" for each in session.told):
        before = seen(session)
        followed(session.forward())
    after = seen(session)
    followed(session.back())
    assert seen(session) == before
    followed(session.forward())
    assert seen(session) == after
    followed(session.forward(50))
    followed(session.back(50))
    assert seen(session) == after


def test_each_collection_is_come_to():
    config = tiny()
    came = []
    session = Session(config)
    while "The run is over." not in (said := followed(session.to_collection())):
        block = session.told[-1].happening.block if session.told else -1
        began = [each.happening for each in session.told if each.step == session.steps]
        (of,) = [each for each in began if each.name == "collection_began"]
        assert said == f"A collection of block 0:{of.block} has begun." and block >= -1
        assert session.state.blocks[of.block].state == "collecting"
        came.append(of.block)
    assert said == "The run is over. No collection began."
    assert len(came) == simulate(config).summary["gc"]["collections"] > 3


@pytest.mark.parametrize("load", [{"queue_depth": 4}, {"rate_iops": 9000.0}])
def test_each_read_that_waits_long_is_come_to_once(load):
    config = tiny(workload=SyntheticConfig(requests=200, read_share=0.5, **load), record=["requests"])
    reads = [row for row in Run(simulate(config)).requests if row["op"] == "read"]
    over_ns = sorted(row["response_ns"] for row in reads)[-20]
    arrival_ns = {row["id"]: row["arrival_ns"] for row in reads}
    slow = {row["id"] for row in reads if row["response_ns"] > over_ns}
    session, came = Session(config), []
    while True:
        said = followed(session.to_wait(over_ns))
        told = re.match(r"Request (\d+), a read, (has waited for|is complete after) .* us\.([\d, a-zT]*)", said)
        if told is None:
            assert said == f"The run is over. No other read waited for longer than {us(over_ns)}."
            break
        new = [int(number) for number in [told[1], *re.findall(r"\d+", told[3])]]
        inside = new[0] in session.state.outstanding
        assert inside == (told[2] == "has waited for")
        now_ns = session.now_ns
        followed(session.back())
        for number in new:
            admitted = number in session.state.outstanding
            assert now_ns > arrival_ns[number] + over_ns
            assert not admitted or session.now_ns <= arrival_ns[number] + over_ns
        followed(session.forward())
        came += new
    assert len(slow) > 5
    assert sorted(came) == sorted(slow)


def test_a_wait_is_told_while_it_lasts():
    rows = [(0, "write", 0, PAGE), (WRITE_PAGE, "write", PAGE, PAGE), (WRITE_PAGE + 1, "read", 0, PAGE)]
    session = Session(tiny_config({"workload": RequestList(rows=rows)}))
    arrival_ns, array_ns = WRITE_PAGE + 1, 2 * WRITE_PAGE
    said = followed(session.to_wait(array_ns - arrival_ns - 1))
    assert said == f"Request 2, a read, has waited for {(array_ns - arrival_ns) / 1000:.3f} us."
    assert session.now_ns == array_ns and session.state.outstanding == (2,)
    assert followed(session.to_wait(array_ns - arrival_ns - 1)).startswith("The run is over. No other read")
    assert session.now_ns == array_ns + READ_PAGE


def test_a_read_that_power_cut_off_is_not_told_as_complete():
    config = tiny(power_loss={"after_programs": 30}, record=["requests"])
    done = {row["id"] for row in Run(simulate(config)).requests}
    session = Session(config)
    while not session.ending:
        said = followed(session.to_wait(0))
        if "is complete" in said:
            assert int(said.split()[1].rstrip(",")) in done
    assert done


def test_a_request_is_followed_from_admission_to_completion_and_back():
    config = tiny(record=["requests"])
    run = Run(simulate(config))
    session = Session(config)
    for number in [row["id"] for row in run.requests if row["response_ns"]][::40]:
        for _ in range(2):
            assert followed(session.to_request(number)) == f"Request {number} has been admitted."
            assert session.now_ns == run.requests[number]["arrival_ns"] and number in session.state.outstanding
            admitted = seen(session)
            assert followed(session.to_request(number)) == f"Request {number} has been completed."
            assert session.now_ns == run.done_at()[number] and number not in session.state.outstanding
        followed(session.to_request(number))
        assert seen(session) == admitted
    for wrong in (-1, 200):
        with pytest.raises(InputError, match="there are 200 requests, from 0 on"):
            session.to_request(wrong)


def test_a_time_is_the_last_event_up_to_it():
    config = tiny()
    session = Session(config)
    times = [0]
    while not session.ending:
        followed(session.forward())
        times.append(session.now_ns)
    for at_ns in (times[50], times[50] - 1, 0, times[120] + 1, times[-1], times[30]):
        followed(session.to_time(at_ns))
        assert session.now_ns == max(each for each in times if each <= at_ns)
        assert session.steps == max(step for step, each in enumerate(times) if each <= at_ns)
    followed(session.to_time(times[-1] + 1))
    assert session.now_ns == times[-1] and session.ending == "The run is over."


def test_the_end_is_told_and_can_be_left():
    session = Session(tiny())
    assert followed(session.forward(10**6)) == session.ending == "The run is over."
    last = seen(session)
    assert followed(session.forward()) == "The run is over."
    followed(session.back(20))
    assert not session.ending and session.steps == last[0] - 20
    followed(session.forward(20))
    assert seen(session) == last


def test_what_goes_wrong_is_told_and_can_be_left(monkeypatch):
    session = Session(tiny())
    followed(session.forward(100))
    before = seen(session)
    stepping = sessions.Watched.step

    def step(run):
        if run.steps == 120:
            raise sessions.SsdsimError("The device is on fire.")
        return stepping(run)

    monkeypatch.setattr(sessions.Watched, "step", step)
    assert followed(session.to_time(10**12)) == "The device is on fire."
    assert followed(session.forward(5)) == session.ending == "The device is on fire."
    followed(session.back(20))
    assert seen(session) == before


def test_a_course_that_is_left(monkeypatch):
    monkeypatch.setattr(sessions, "AT_ONCE", 10)
    session = Session(tiny())
    forward = session.forward(100)
    assert [next(forward) for _ in range(3)] == [0.1, 0.2, 0.3]
    forward.close()
    assert session.steps == 30
    there = seen(session)
    back = session.back(5)
    assert next(back) < next(back) < 1
    back.close()
    assert seen(session) == there


def test_requests_are_noted_however_many_there_were(monkeypatch):
    session = Session(tiny())
    followed(session.to_request(150))
    requests = session.requests
    monkeypatch.setattr(sessions, "NOTED_BEYOND", 8)
    session = Session(tiny())
    followed(session.to_request(150))
    assert session.requests == requests and [each.number for each in requests] == [*session.state.outstanding]
    assert len(session.run.noting.noted) <= 9


def test_what_cannot_be_watched_is_refused():
    with pytest.raises(ConfigError, match="timing=off: there are no events to watch"):
        Session(tiny(timing="off"))


@pytest.mark.parametrize(
    ("place", "told"),
    [
        ("collections", "collections: must be one of collection, wait=N, .*did you mean 'collection'"),
        ("wait=long", "wait=long: must be a number of us from 0 on"),
        ("wait=nan", "wait=nan: must be"),
        ("time=-1", "time=-1: must be a number of us from 0 on"),
        ("step=1.5", "step=1.5: must be a whole number from 0 on"),
        ("request=", "request=: must be a whole number"),
    ],
)
def test_a_place_that_is_none_is_refused(place, told):
    with pytest.raises(InputError, match=told):
        course(Session(tiny()), place)


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("wait=0", "Request "),
        ("time=2.5", "The last event up to 2.500 us."),
        ("step=3", "Event 3."),
        ("request=1", "Request 1"),
    ],
)
def test_a_place_is_come_to(place, said):
    assert followed(course(Session(tiny()), place)).startswith(said)
