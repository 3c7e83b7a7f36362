"""Entry point of the command: what is settled before more is loaded."""

import gc
import os
import sys

OBJECTS_BETWEEN_COLLECTIONS = 300_000
"""Of Python's own, more than a start makes: what is loaded stays, and is looked through for garbage otherwise."""


def main() -> int:
    """Run the command line and return its exit status."""
    # before numpy is loaded, which looks at it only then
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # no matrix is multiplied, and threads take time to start
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
    # only now: loading it is what makes most of the objects
    from .cli import main as command

    try:
        return command()
    finally:
        gc.freeze()  # which spares a last look through all


if __name__ == "__main__":
    sys.exit(main())
