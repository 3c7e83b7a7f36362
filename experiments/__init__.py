"""`python -m experiments`: one experiment or a sweep from the command line.

A wheel has this package as `ssdsim.experiments`, and the same command as `ssdsim`; so its modules import one another
relatively, and find `conf/` and `traces/` by their place.
"""
