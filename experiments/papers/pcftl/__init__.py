"""The experiments of the PCFTL paper: `python -m experiments.papers.pcftl`.

W. Wang, T. Xie, "PCFTL: A Plane-Centric Flash Translation Layer Utilizing Copy-Back Operations" (IEEE Transactions on
Parallel and Distributed Systems, 2015).
"""
