"""The one runner of sweeps, studies and comparisons: many runs through any of Hydra's launchers, each run once.

The parent composes and checks every run, leaves its configuration in a file (`orders`), and has a launcher of Hydra
start `task` for each, here, on other cores or on other machines that see the same files; what came of it is read from
files, too. So a launcher that loses jobs loses no result: `rounds` starts again what has none.
"""
