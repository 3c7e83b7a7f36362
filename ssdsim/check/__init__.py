"""Checks from outside: what the host was promised, held against what it is given."""

from ssdsim.check.oracle import Contract, IntegrityOracle

__all__ = ["Contract", "IntegrityOracle"]
