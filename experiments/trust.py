"""Say that a checkpoint of somebody else may be loaded: it is signed with your key, as those that you save are.

A file that is made to do harm can end the process, or worse. Trust only those by whom you would have a program run.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from ssdsim.run.checkpoint import trust

from . import failures


def main(arguments: Sequence[str] | None = None) -> int:
    """Sign the files, say what each is, and return 0, or 2 for one that cannot be signed."""
    description, _, remarks = (__doc__ or "").partition("\n\n")
    options = argparse.ArgumentParser(prog=f"python -m {__package__}.trust", description=description, epilog=remarks)
    options.add_argument("files", type=Path, nargs="+", metavar="FILE", help="a file that checkpoint.save wrote")
    given = options.parse_args(arguments)
    return failures.guarded(lambda: _sign(given.files))


def _sign(files: list[Path]) -> int:
    for path in files:
        print(f"{path}: {trust(path)}; it is loaded like your own from now on.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
