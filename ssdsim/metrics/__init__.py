"""Measures of a run, and its result."""
