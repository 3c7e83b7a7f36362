"""The experiments of the TBM paper: `python -m experiments.papers.tbm`.

A. Tavakkol, P. Mehrvarzy, H. Sarbazi-Azad, "TBM: Twin Block Management Policy to Enhance the Utilization of Plane-Level
Parallelism in SSDs" (IEEE Computer Architecture Letters 15(2), 2016).
"""
