"""The closed forms, which the tests hold the simulator against, for the pictures that show them."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "tests"))

from support import closed_forms

__all__ = ["closed_forms"]
