"""Entry point of `python -m experiment`, and of `python -m experiments` where only the wheel is installed."""

import sys

from ssdsim.command.__main__ import main

if __name__ == "__main__":
    sys.exit(main())
