"""The small numbers by which requests, transactions and their sources are told apart, and their names."""

REQUESTS = ("read", "write", "trim", "flush")
OPERATIONS = ("read", "program", "erase", "copyback")
SOURCES = ("host", "gc", "mapping", "backup", "merge", "refresh")
