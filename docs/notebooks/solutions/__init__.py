"""The solutions of the notebooks' exercises: a module for each notebook, a function for each exercise.

A function's docstring is the answer in words; its body computes it, and fails if the answer does not hold.
"""
