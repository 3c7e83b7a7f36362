"""Break the source on purpose, at places that a seed draws, and say which breakages no test finds.

    python tests/mutations.py
    python tests/mutations.py --seed 2 --count 100 --only ssdsim/ftl

Cosmic Ray (in the extra `dev`) breaks a copy of the project in which only `ssdsim/_core` is compiled, so that all else
runs interpreted. First run the tests that mirror the package, then two files that drive whole devices. A breakage is
found if a test fails, or exceeds its CPU time or memory.

`tests/survivors.yaml` gives the breakages that no test finds with the reason, by module, function, operator and
number among those of that operator in the function. The exit status is 1 where one survives that is not listed, or one
that is listed is found or no longer in the source.
"""

import argparse
import os
import random
import re
import resource
import shlex
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from compileall import compile_dir
from functools import cache
from pathlib import Path
from py_compile import PycInvalidationMode

import yaml
from cosmic_ray.ast import ast_nodes, get_ast_from_path
from cosmic_ray.ast.ast_query import ASTQuery
from cosmic_ray.modules import find_modules
from cosmic_ray.mutating import mutate_and_test
from cosmic_ray.plugins import get_operator, operator_names
from cosmic_ray.work_item import MutationSpec, TestOutcome

from sanitized import PARTS, PROJECT

OPERATORS = re.compile(
    "core/(AddNot|NumberReplacer|ZeroIterationForLoop|Replace(And|Or|True|False|Break|Continue)With.*|"
    "ReplaceUnaryOperator_Delete_.*|ReplaceComparisonOperator_(Lt_LtE|LtE_Lt|Gt_GtE|GtE_Gt|Eq_NotEq|NotEq_Eq|"
    "Is_IsNot|IsNot_Is)|ReplaceBinaryOperator_(Add_Sub|Sub_Add|Mul_FloorDiv|Div_Mul|FloorDiv_Mul|Mod_FloorDiv|"
    "LShift_RShift|RShift_LShift|BitAnd_BitOr))"
)
"""Slips that people make. The others end at once (`**` for `-`), change nothing (`is` for `==`) or only annotations."""

LEFT_OUT = ("_core", "command", "report")
"""Packages that are compiled, or in which many a number is a matter of looks; `--only` takes them."""

WHOLE_DEVICES = ("tests/test_properties.py", "tests/check/test_oracle.py")
CPU_S = 180
MEMORY = 4 << 30  # a breakage may loop for ever, and fill memory meanwhile


def mutants(module: Path) -> Iterator[tuple[str, MutationSpec]]:
    """Yield the breakages of a module, each with its key."""
    tree, numbers = get_ast_from_path(module), Counter()
    for name in filter(OPERATORS.fullmatch, operator_names()):
        operator = get_operator(name)()
        places = ((node, *place) for node in ast_nodes(tree) for place in operator.mutation_positions(node))
        for occurrence, (node, start, end) in enumerate(places):
            key = f"{module} {ASTQuery(node).get_definition_name() or '(module)'} {name.removeprefix('core/')}"
            numbers[key] += 1
            yield f"{key} {numbers[key]}", MutationSpec(module, name, occurrence, start, end)


def tests_of(module: Path) -> list[str]:
    """Return the tests of the module's package, those named after the module first, and those of whole devices."""
    folder, own = Path("tests", *module.parts[1:-1]), []
    while folder != Path("tests") and not own:
        own = sorted(folder.glob("test_*.py"), key=lambda test: (module.stem not in test.stem, test))
        folder = folder.parent
    return list(dict.fromkeys([*map(str, own), *WHOLE_DEVICES]))


def outcome(mutations: list[MutationSpec], options: Iterable[str]) -> tuple[bool, str, str]:
    """Run tests with mutations; return whether all pass, the first that fails, and the difference to the source."""
    command = [sys.executable, "-m", "pytest", "-qq", "-x", "-n", "0", "-rfE", "--tb=no", "-p", "no:cacheprovider"]
    result = mutate_and_test(mutations, shlex.join([*command, *options]), timeout=20 * CPU_S)
    if result.test_outcome == TestOutcome.INCOMPETENT:
        sys.exit(result.output)
    failed = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - |$)", result.output, re.MULTILINE)
    return result.test_outcome == TestOutcome.SURVIVED, failed[1] if failed else "", result.diff


@cache
def passes(test: str) -> bool:
    """Return whether a test, or a file's collection, passes without any breakage."""
    return outcome([], [test] if "::" in test else [test, "--collect-only"])[0]


def finder(spec: MutationSpec, tests: list[str]) -> tuple[str, str]:
    """Return the test that fails with a breakage but not without, "" if none does, and the breakage as a difference."""
    options = list(tests)
    while True:
        survived, test, diff = outcome([spec], options)
        if survived or not test or passes(test):
            return "" if survived else test or "its import, time or memory", diff
        options.append(f"--deselect={test}" if "::" in test else f"--ignore={test}")  # it fails interpreted


def enter_copy(folder: Path) -> None:
    """Copy the project to `folder`, without modules compiled outside of `_core`, and go there."""
    for part in PARTS:
        if (PROJECT / part).is_dir():
            shutil.copytree(PROJECT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(PROJECT / part, folder)
    for extension in folder.rglob("*.so"):
        if extension.parent.name != "_core":
            extension.unlink()
    # By the hash, as two versions of a file may share a time.
    compile_dir(folder / "ssdsim", quiet=1, invalidation_mode=PycInvalidationMode.CHECKED_HASH)
    os.chdir(folder)
    os.environ |= {"PYTHONPATH": str(folder), "SSDSIM_INTERPRETED": "1", "HYPOTHESIS_PROFILE": "mutations"}
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def main() -> int:
    """Draw, break and report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1, help="of the draw; default: 1")
    parser.add_argument("--count", type=int, default=50, help="how many; default: 50, some 20 minutes of CPU time")
    parser.add_argument("--only", type=Path, default=PROJECT / "ssdsim", metavar="PATH", help="a package or module")
    asked = parser.parse_args()
    place = asked.only.resolve().relative_to(PROJECT.resolve())
    with tempfile.TemporaryDirectory(prefix="ssdsim-mutations-") as folder:
        enter_copy(Path(folder))
        modules = {m for m in find_modules([place]) if place != Path("ssdsim") or m.parts[1] not in LEFT_OUT}
        known = {key: spec for module in sorted(modules) for key, spec in mutants(module)}
        listed = yaml.safe_load(Path("tests/survivors.yaml").read_text(encoding="utf-8")) or {}
        reasons = {key: why for key, why in listed.items() if Path(key.split()[0]) in modules}
        drawn = random.Random(asked.seed).sample(sorted(known), min(asked.count, len(known)))
        print(f"{len(drawn)} of {len(known)} breakages of {len(modules)} modules, by seed {asked.seed}", flush=True)
        if not passes(WHOLE_DEVICES[0]):
            sys.exit(f"Without any breakage {WHOLE_DEVICES[0]} cannot be run.")
        faults, survived = sorted(reasons.keys() - known.keys()), 0
        for key in drawn:
            test, diff = finder(known[key], tests_of(known[key].module_path))
            print(f"found     {key}, by {test}" if test else f"survived  {key}: {reasons.get(key) or diff}", flush=True)
            survived += not test
            faults += [key] if bool(test) == (key in reasons) else []
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    minutes = (used.ru_utime + used.ru_stime) / 60
    print(f"{len(drawn) - survived} found, {survived} survived, {minutes:.0f} minutes of CPU time")
    print(*(f"not as listed: {key}" for key in faults), sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    raise SystemExit(main())
