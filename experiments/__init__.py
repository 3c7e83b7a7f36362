"""`python -m experiments`: one experiment or a sweep from the command line."""
