"""Search: Optuna chooses the points of a sweep, by what came of those before (`hydra/sweeper=optuna`).

`settings` has what a command line asks for, `space` what may be chosen, `study` the loop of asking, running and
telling, and `report` what came of it. Points are run by the same launcher as those of any sweep.
"""
