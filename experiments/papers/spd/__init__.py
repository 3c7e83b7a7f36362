"""The experiments of the SPD paper: `python -m experiments.papers.spd`.

C. Gao, L. Shi, K. Liu, C. J. Xue, J. Yang, Y. Zhang, "Boosting the Performance of SSDs via Fully Exploiting the Plane
Level Parallelism" (IEEE TPDS 31(9), 2020).
"""
