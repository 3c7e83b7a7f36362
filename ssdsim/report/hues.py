"""Hues of pictures and pages."""

GREY = "#999999"
BLACK, SKY, ORANGE, GREEN = "#000000", "#56B4E9", "#E69F00", "#009E73"
YELLOW, VERMILION, BLUE, PURPLE = "#F0E442", "#D55E00", "#0072B2", "#CC79A7"
"""Of Okabe and Ito, told apart by colour-blind readers and in grey print; and a grey."""
