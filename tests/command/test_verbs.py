"""The verbs of the command: one page names all, each has its own, and what they share is one thing."""

import re

import pytest

from ssdsim import load_config
from ssdsim.command.cli import VERBS, main

ARGUMENTS = {
    "run": "KEY=VALUE --config --cfg --quiet",
    "sweep": "KEY=VALUE --quiet",
    "compare": "KEY=VALUE --system --baseline --seeds",
    "search": "KEY=VALUE --minimize --trials --jobs",
    "report": "folder --fields --over",
    "timeline": "folder --from --to",
    "serve": "KEY=VALUE --listen --slow --data",
    "new": "KIND NAME KEY=VALUE --like --compiled",
    "build": "FILE",
    "trace": "KEY=VALUE --rows",
    "presets": "TOPIC",
    "fields": "WORD",
    "papers": "all flexftl pa_ssd pcftl spd tbm",
}


def test_one_page_names_every_verb(cli):
    done = cli("--help")
    assert (done.status, done.err, cli("-h").out) == (0, "", done.out)
    assert re.findall(r"^  (\w+)  ", done.out, re.MULTILINE) == [*VERBS] == [*ARGUMENTS]
    lines = done.out.splitlines()
    assert len(lines) <= 40 and max(map(len, lines)) <= 110


@pytest.mark.parametrize("verb", VERBS)
def test_each_verb_has_a_page_that_names_its_arguments(verb, capsys):
    with pytest.raises(SystemExit) as ended:
        main([verb, "--help"])
    told = capsys.readouterr().out
    assert ended.value.code == 0 and told.startswith("usage: ")
    assert [name for name in ARGUMENTS[verb].split() if name not in told] == []


def test_a_run_needs_no_verb_and_a_sweep_is_a_run_of_several_values(cli, simulator, tmp_path):
    assert cli("seed=3", "hydra.run.dir=a").status == cli("run", "seed=3", "hydra.run.dir=b").status == 0
    assert cli("sweep", "seed=3,4", "hydra.run.dir=c").status == cli("-m", "seed=3,4", "hydra.run.dir=d").status == 0
    assert [config.seed for config in simulator.configs] == [3, 3, 3, 4, 3, 4]
    assert {path.name for path in tmp_path.iterdir()} == set("abcd")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["comapre", "seed=1,2"], "comapre: is no command, and .* (did you mean 'compare'?)"),
        (["-m", "--config", "run", "seed=1"], "--config: goes with one run"),
        (["-m", "--cfg", "job", "seed=1"], "--cfg: goes with one run"),
    ],
)
def test_what_is_no_command_is_told_in_a_sentence(cli, simulator, words, told):
    done = cli(*words)
    assert (done.status, done.out, done.err.count("\n"), simulator.configs) == (2, "", 1, [])
    assert re.search(told.replace("(", r"\(").replace(")", r"\)").replace("?", r"\?"), done.err)


def test_the_configuration_is_printed_as_a_run_would_take_it(cli, simulator, tmp_path):
    done = cli("--cfg", "job", "seed=3", "workload=synthetic", "workload.requests=7")
    assert done.status == 0 and simulator.configs == [] and [*tmp_path.iterdir()] == []
    (tmp_path / "printed.yaml").write_text(done.out)
    assert cli("--config", "printed.yaml").status == 0
    assert simulator.configs == [load_config("printed.yaml")]
    assert (simulator.configs[0].seed, simulator.configs[0].workload.requests) == (3, 7)


def test_trace_shows_how_rows_are_understood_and_why(cli, tmp_path):
    (tmp_path / "my.csv").write_text("128166372010000010,demo,0,Write,1048576,4096,2100\n")
    told = cli("trace", "workload.path=my.csv").out
    assert "my.csv: msr, as 100% of its first lines fit." in told
    assert re.search(r"1 +0\.000 +write +demo_0 +1,048,576 +4,096", told)
    (tmp_path / "mine.csv").write_text("lba,n\n2,3\nx,3\n")
    columns = "workload.columns={arrival: 0, op: write, offset: lba*512, size: n*512}"
    refused = cli("trace", "workload.path=mine.csv", columns)
    assert refused.status == 2 and "mine.csv: row 3: column lba: 'x' is no whole number" in refused.err
    assert cli("trace", "workload=synthetic").status == 2
