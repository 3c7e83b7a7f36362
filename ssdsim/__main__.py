"""Entry point of `python -m ssdsim`."""

import sys

from ssdsim.command.__main__ import main

if __name__ == "__main__":
    sys.exit(main())
