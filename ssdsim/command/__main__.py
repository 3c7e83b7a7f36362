"""Entry point of the command: what is settled before more is loaded."""

import gc
import os
import sys

OBJECTS_BETWEEN_COLLECTIONS = 100_000
"""Of Python's own: what is loaded stays, and is looked through for garbage a hundred times otherwise."""


def main() -> int:
    """Run the command line and return its exit status."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # no matrix is multiplied, and threads take time to start
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
    from .cli import main as command

    try:
        return command()
    finally:
        gc.freeze()  # which spares a last look through all


if __name__ == "__main__":
    sys.exit(main())
