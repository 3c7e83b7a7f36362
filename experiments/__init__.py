"""The experiments of five papers, and what shows that the simulator can be trusted.

A wheel has this package as `ssdsim.experiments`; so its modules import one another relatively.
"""
