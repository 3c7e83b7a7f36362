"""Runs for `experiments.validation.instructions` to count: this module with a file of pickled configurations.

Each runs once beforehand, so that what only a first run does is not counted with it, and then in a process of its own,
which has all that went before in common with the others. Printed are the numbers of these processes.
"""

import os
import pickle
import sys
from pathlib import Path

from ssdsim.run.simulation import simulate


def main() -> None:
    """Run them."""
    configs = pickle.loads(Path(sys.argv[1]).read_bytes())
    for config in configs:
        simulate(config)
    for config in configs:
        if not (process := os.fork()):
            simulate(config)
            os._exit(0)  # nothing that the end of a process does is counted
        if os.waitpid(process, 0)[1]:
            sys.exit("A run failed.")
        print(process)


if __name__ == "__main__":
    main()
