"""The common parts of the experiments of all papers: formulas, claims, runs, the page of results, the command line.

A paper is three files in `experiments/papers/`: `NAME.py` with its systems, loads, measures and figures,
`NAME.claims.tsv` with what it says, and `NAME.choices.tsv` with what it leaves open. `NAME.parquet` is stored results.
"""
