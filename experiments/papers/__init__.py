"""The experiments of the papers, a package and a command each: `python -m experiments.papers.spd`."""
