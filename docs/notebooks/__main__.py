"""Runs notebooks of the course, all if none is given: `python -m docs.notebooks [NOTEBOOK ...]`."""

import sys

from docs.notebooks import NOTEBOOKS, WrongNotebookError, run_all


def main(argv: list[str]) -> int:
    """Run the notebooks given, by a part of their names, or all; return the exit status."""
    wrong = [each for each in argv if not any(each in path.name for path in NOTEBOOKS)]
    if wrong:
        print(f"{wrong[0]}: no notebook; choose of {', '.join(path.stem for path in NOTEBOOKS)}.", file=sys.stderr)
        return 2
    try:
        for done in run_all([path for path in NOTEBOOKS if not argv or any(each in path.name for each in argv)]):
            print(f"{done.path.stem}: {done.seconds:.1f} s")
    except WrongNotebookError as error:
        print(error, file=sys.stderr)
        return 1
    except ModuleNotFoundError as error:
        print(f"{error.name} is not installed: run pip install -e '.[docs]'.", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
