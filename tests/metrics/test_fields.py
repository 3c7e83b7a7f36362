"""The dictionary of fields is held against what runs write: nothing is without an entry, and no entry without a run."""

import attrs
import pyarrow.parquet as pq
import pytest

from ssdsim import Drive, Environment
from ssdsim.command.compose import choices, session
from ssdsim.config import FioConfig, PreconditionConfig, SyntheticConfig, TraceConfig
from ssdsim.metrics.fields import SUMMARY, TABLES, leaves
from ssdsim.run.simulation import simulate
from ssdsim.testing import RequestList
from support.mixes import changed, small_stack
from support.small_devices import load

TRACE = """\
arrival_ns,op,offset_bytes,size_bytes
0,read,0,2048
1000,write,2048,4096
2000,write,4096,0
3000,trim,0,2048
4000,flush,0,0
"""
QLC = {"hardware.bits_per_cell": 4, "hardware.read_us": [10.0], "hardware.program_us": [100.0, 200.0, 300.0, 400.0]}

UNSETTLED = PreconditionConfig(mode="writes", fill_share=0.5, max_windows=1, tolerance=1e-9)


def loaded_stacks(names=None):
    """Return the stacks of these names, or all, on small devices and with some load."""
    with session():
        return {name: load(small_stack(name), 60) for name in names or choices("stack")}


def configs(trace):
    """Yield runs each of which writes something that the others do not."""
    stacks = loaded_stacks(("baseline", "flex_ftl", "dftl", "fast", "spd_plus", "tbm"))
    yield from stacks.values()
    loaded = stacks["baseline"]
    for name in ("baseline", "flex_ftl"):
        yield changed(stacks[name], {"power_loss.after_programs": 30})
    yield changed(loaded, {"power_loss.at_s": 1000.0})
    yield changed(loaded, {"timing": "off", "precondition.mode": "writes"})
    yield attrs.evolve(stacks["tbm"], timing="off")
    yield changed(loaded, QLC | {"workload": SyntheticConfig(requests=9, size_kib={2: 0.5, 4: 0.5}, queue_depth=2)})
    wordlines = {"program_unit": "wordline", "page_type_map": "modulo"}
    whole_wordlines = {f"hardware.{key}": value for key, value in {"bits_per_cell": 2, **wordlines}.items()}
    yield changed(loaded, {"ftl.slc_cache.blocks": 1, **whole_wordlines})
    yield changed(loaded, {"ftl.mapping.scheme": "support.mappings.MapInFlash"})
    whole = trace.with_name("whole.csv")
    whole.write_text("\n".join(line for line in TRACE.splitlines() if not line.endswith("4096,0")))
    yield attrs.evolve(loaded, workload=TraceConfig(path=str(whole)))
    yield attrs.evolve(loaded, workload=RequestList(rows=[(0, "flush", 0, 0)], queue_depth=1))
    yield attrs.evolve(loaded, workload=SyntheticConfig(requests=2, queue_depth=1), precondition=UNSETTLED)
    jobs = trace.with_name("jobs.fio")
    jobs.write_text("[a]\nsize=64k\ndirect=1\n")
    yield attrs.evolve(loaded, workload=FioConfig(path=str(jobs)))
    others = {"other": SyntheticConfig(requests=5, read_share=1.0, queue_depth=1)}
    traced = TraceConfig(path=str(trace), repeat=2, addresses="wrap")
    both = attrs.evolve(loaded, workload=traced, workloads=others, record=["requests", "commands"])
    yield changed(both, {"hardware.cache_program_us": 1.0})
    modern = {"link.lanes": 4, "host.interface": "nvme", "flash.suspension.policy": "always"}
    modern["dram.bandwidth_mib_s"] = 1e4
    yield changed(both, {"metrics.blame": True, "read_cache.size_mib": 1.0, **modern})


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """The leaves of the summary and the files of each run."""
    place = tmp_path_factory.mktemp("fields")
    trace = place / "trace.csv"
    trace.write_text(TRACE)
    results = [simulate(config, place / str(at)) for at, config in enumerate(configs(trace))]
    env = Environment()
    drive = Drive(env, loaded_stacks(("baseline",))["baseline"], place / "drive")
    env.run(until=drive.write(0, 4096))
    results.append(drive.finish())
    return [(list(leaves(dict(result.summary))), result.folder) for result in results]


def entry(name, fields=SUMMARY):
    return next((field for field in fields if field.covers(name)), None)


def test_every_field_of_a_summary_has_an_entry_and_is_null_only_where_that_says_so(runs):
    written = {(name, value is None) for summary, _ in runs for name, value in summary}
    assert sorted(name for name, _ in written if entry(name) is None) == []
    assert sorted(name for name, is_null in written if is_null and not entry(name).null) == []


@pytest.mark.more
def test_every_field_of_every_stack_has_an_entry():
    for name, config in loaded_stacks().items():
        written = dict(leaves(dict(simulate(config).summary)))
        assert [field for field in written if entry(field) is None] == [], name


def test_every_entry_is_written_by_some_run(runs):
    met = {entry(name) for name in {name for summary, _ in runs for name, _ in summary}}
    assert [field.name for field in SUMMARY if field not in met] == []


@pytest.mark.parametrize("name", TABLES)
def test_a_table_has_exactly_the_columns_of_the_dictionary_and_tells_of_them(runs, name):
    met = set()
    files = [folder / f"{name}.parquet" for _, folder in runs]
    for table in map(pq.read_table, filter(lambda file: file.exists(), files)):
        for column in table.schema:
            field = entry(column.name, TABLES[name])
            assert field is not None, column.name
            assert column.metadata[b"description"].decode() == field.meaning
            assert column.metadata.get(b"unit", b"").decode() == field.unit
            assert column.metadata.get(b"null", b"").decode() == field.null
            assert field.null or not table[column.name].null_count, column.name
            met.add(field)
    assert met == set(TABLES[name])
