"""What a study runs and measures: parts by seed, choices with values that take their places, and its report."""

import pytest

from experiments.study.claims import Claim
from experiments.study.report import holding, sentence
from experiments.study.study import Choice, Study, Value, by_value, compared, found_under

CLAIMS = [
    Claim("fast", "How fast", 10, "Fig. 1"),
    Claim("small", "How small", 6, "Table 2"),
    Claim("large", "How large at full size", 3, "4.1"),
    Claim("old", "How old", 1, "5", left_out="no run shows it"),
]
HELD = {
    "fast": lambda results: float(len(results["speed"])),
    "small": lambda results: float(len(results["speed"]) + len(results["size"])),
    "large": lambda results: float(len(results["full"])),
}
CHOICE = Choice(
    "depth",
    "It is not said.",
    "one",
    {"ten": Value({"speed": {f"a/{at}": [] for at in range(10)}}), "whole": Value(held={"large": lambda _: 9.0})},
)


def study(choice=CHOICE):
    seeds = {seed: {"speed": {"a/x": [], "b/x": []}, "size": {"a/x": []}, "none": {}} for seed in (3, 4)}
    return Study(seeds, HELD, lambda report: [], [choice], {"full": {"a/x": [], "a/y": [], "b/x": []}})


def graded(choice=CHOICE):
    made = study(choice)
    return by_value(made, choice, CLAIMS, found_under(made, 3, made.parts().__getitem__))


def test_parts_are_run_by_seed_and_value():
    assert set(study().parts()) == {
        *("seed 3/speed", "seed 3/size", "seed 3/full", "seed 4/speed", "seed 4/size"),
        "depth/ten/speed",
    }


def test_claims_are_measured_under_each_seed_that_has_their_runs():
    made = study()
    found = compared(CLAIMS, HELD, [found_under(made, seed, made.parts().__getitem__) for seed in (3, 4)])
    assert [(each.claim.name, each.seeds) for each in found] == [
        ("fast", [2.0, 2.0]),
        ("small", [3.0, 3.0]),
        ("large", [3.0]),
    ]


def shown(graded):
    return {value: {each.claim.name: each.ours for each in of} for value, of in graded.items()}


def test_a_value_replaces_parts_and_measures():
    assert shown(graded()) == {
        "one": {"fast": 2, "small": 3, "large": 3},
        "ten": {"fast": 10, "small": 11, "large": 3},
        "whole": {"fast": 2, "small": 3, "large": 9},
    }


def test_claims_that_no_value_touches_are_not_shown_for_the_choice():
    only_large = Choice("size", "", "one", {"whole": Value(held={"large": lambda _: 9.0})})
    assert shown(graded(only_large)) == {"one": {"large": 3}, "whole": {"large": 9}}


def test_claims_that_no_value_measures_are_not_shown_for_the_choice():
    held = {**HELD, "small": lambda results: float(len(results["speed"])) if "b/x" in results["speed"] else None}
    choice = Choice("depth", "", "one", {"ten": Value({"speed": {f"a/{at}": [] for at in range(10)}})})
    made = Study({3: {"speed": {"b/x": []}}}, held, lambda report: [], [choice])
    found = by_value(made, choice, CLAIMS[:2], found_under(made, 3, made.parts().__getitem__))
    assert shown(found) == {"one": {"fast": 1}, "ten": {"fast": 10}}


def test_values_are_compared_under_the_workloads_of_the_choice():
    choice = Choice("depth", "", "one", {"ten": Value({"speed": {f"a/{at}": [] for at in range(10)}})}, ["a"])
    assert shown(graded(choice)) == {"one": {"fast": 1, "small": 2}, "ten": {"fast": 10, "small": 11}}


@pytest.fixture
def sections():
    made = study()
    found = compared(CLAIMS, HELD, [found_under(made, seed, made.parts().__getitem__) for seed in (3, 4)])
    return holding(CLAIMS, found, [CHOICE], {"depth": graded()}, ["The depth was 4 until it was seen."])


def test_the_report_counts_and_names_what_is_left_out(sections):
    assert "1 of 3 claims agree; of the 3 that are not trivial, 1 do." in sections[0]
    assert "- How old (5): no run shows it\n" in sections[0]


def test_the_report_shows_each_choice_with_how_many_values_agree(sections):
    assert "| fast | 10% | 2% | **10%** | 2% | 1 of 3 |" in sections[1]
    assert "| large | 3% | **3%** | **3%** | 9% | 2 of 3 |" in sections[1]


def test_the_report_says_what_was_chosen_after_results_were_seen(sections):
    assert sections[2] == "## What was chosen after results were seen\n\n- The depth was 4 until it was seen.\n"


def test_what_parts_is_explained_by_the_value_under_which_it_agrees_or_not(sections):
    assert (
        "Of 2 claims that do not agree, 1 agree under another value of a choice, and 1 are unexplained." in sections[3]
    )
    assert "- `fast`, How fast, 2% for 10%: agrees with depth: ten (10%, ours 2%).\n" in sections[3]
    assert sections[3].endswith("Unexplained:\n\n- `small`, How small, 3% for 6%.\n")


def test_nothing_is_said_where_there_is_nothing_to_say():
    agreeing = compared(CLAIMS[2:], HELD, [{"full": {"a": 1, "b": 1, "c": 1}}])
    assert holding(CLAIMS[2:3], agreeing, [], {}, [])[1:] == ["", "", ""]
    assert sentence(agreeing) == "1 of 1 claims agree; of the 1 that are not trivial, 1 do."
