"""The experiments of the PA-SSD paper: `python -m experiments.papers.pa_ssd`.

W. Zhang, Q. Cao, H. Jiang, J. Yao, "Improving Overall Performance of TLC SSD by Exploiting Dissimilarity of Flash
Pages" (IEEE TPDS 31(2), 2020).
"""
