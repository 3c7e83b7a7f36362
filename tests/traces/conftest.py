"""The scripts of traces/ are not a package; the tests import them as the recorder does."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "traces"))
