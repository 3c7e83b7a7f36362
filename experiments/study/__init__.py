"""The common parts of the experiments of all papers: formulas, claims, runs, the page of results, the command line."""
