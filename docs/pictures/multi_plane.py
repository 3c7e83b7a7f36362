"""Which transactions of two planes become one command, decided by the rule of the controller itself."""

from types import SimpleNamespace

from ssdsim._core.blocks import Blocks
from ssdsim._core.codes import ERASE, PROGRAM, READ
