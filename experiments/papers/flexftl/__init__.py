"""The experiments of the flexFTL paper: `python -m experiments.papers.flexftl`.

J. Park, J. Jeong, S. Lee, Y. Song, J. Kim, "Improving Performance and Lifetime of NAND Storage Systems Using Relaxed
Program Sequence" (DAC 2016).
"""
