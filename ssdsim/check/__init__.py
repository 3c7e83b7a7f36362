"""Checks from outside: what the host was promised, held against what it is given."""

from ssdsim.check.contract import Contract
from ssdsim.check.oracle import IntegrityOracle

__all__ = ["Contract", "IntegrityOracle"]
