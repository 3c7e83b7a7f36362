"""Entry point of the command: what is settled before more is loaded."""

import gc
import os
import sys

from ssdsim.interpreted import NotBuiltError


def main() -> int:
    """Run the command line and return its exit status."""
    # before numpy is loaded, which looks at it only then: no matrix is multiplied, and threads take time to start
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.set_threshold(300_000)  # more objects than a start makes: what is loaded stays, and is not searched for garbage
    try:
        from .cli import main as command  # only now, as loading it makes most of the objects

        return command()
    except NotBuiltError as error:
        print(error, file=sys.stderr)
        return 2
    finally:
        gc.freeze()  # which spares a last search


if __name__ == "__main__":
    sys.exit(main())
