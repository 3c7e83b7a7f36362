"""What the TBM paper says of its results (`claims.tsv`), and what was chosen after ours were seen (`afterwards.md`)."""

from ...study.claims import published

CLAIMS, AFTERWARDS = published(__file__)
