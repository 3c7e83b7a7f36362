"""What the experiments of all papers share: runs and their results, claims, tables, pictures, report, command line.

A paper's folder in `experiments/papers/` holds its workloads, its systems and what it says, as data, and the measures
and sections that are its own.
"""
