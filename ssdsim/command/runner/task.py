"""What runs in the process that a launcher starts for a job."""

import signal
import threading
import time
from contextlib import chdir
from pathlib import Path
from typing import Any

from omegaconf import DictConfig

from ssdsim.errors import FolderInUseError, SimulationError
from ssdsim.metrics.folder import ResultFolder, in_use
from ssdsim.run.interrupts import Terminated, exit_status

from ..run import run
from .finished import failed, leave
from .orders import Order, Status, attempts

PATIENCE_S = 10.0
"""How long a folder may be held by a process that does not say that it runs the same job."""

LOOK_S = 1.0
"""How often a job looks whether it is still wanted."""


def task(node: DictConfig) -> None:
    """Run the job whose order stands at `node.order`, unless it was taken back or another process has run it."""
    order = Order.read(Path(node.order))
    if order is None:
        return
    # only a main thread may set how signals are handled
    if not order.is_of_this_process() and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which takes its orders back
    try:
        with chdir(order.cwd), _folder(order) as folder:
            if order.place.exists():  # it may have been taken back while the folder was held
                order.end(_run(order, folder))
    except KeyboardInterrupt:
        if order.is_of_this_process():
            raise
        raise SimulationError("The job was told to end.") from None  # the parent must not take it for its own Ctrl-C
    except Exception as error:
        order.end(order.status | failed(error) | {"results": False})  # an error of the run itself is told by `_run`


def _folder(order: Order) -> ResultFolder:
    """Return the folder of the job; wait while another process runs the same one, which a launcher has given up."""
    tried = time.monotonic()
    while True:
        try:
            return ResultFolder(order.folder, overwrite=True)
        except FolderInUseError:
            if in_use(order.folder) and attempts(order.folder, order.config_hash):
                tried = time.monotonic()  # patience is for those that say nothing
            elif time.monotonic() > tried + PATIENCE_S:
                raise
            time.sleep(0.1)


def _run(order: Order, folder: ResultFolder) -> Status:
    """Run the job into `folder`, leave its status there, and return it."""
    status = order.status | order.begin()
    started = time.monotonic()
    outcome: Status = {"status": "completed", "exit_status": 0}
    title = None if order.quiet else f"Job {status['job']}: {' '.join(status['overrides'])}"
    try:
        run(order.config(), folder, title, plot=order.plot, watch=_Watch(order))
    except KeyboardInterrupt as interrupt:
        outcome = {"status": "interrupted", "exit_status": exit_status(interrupt)}
        raise
    except Exception as error:
        outcome = failed(error)
    finally:
        status |= outcome | {"results": folder.written, "wall_s": round(time.monotonic() - started, 3)}
        leave(folder, status)
    return status


class _Watch:
    """A `progress` that ends the job when its order is taken back, as SIGTERM would."""

    def __init__(self, order: Order) -> None:
        self._order = order
        self._next = time.monotonic() + LOOK_S  # not at every update, as a look may go over a network

    def update(self, snapshot: Any) -> None:
        """Look whether the order stands, from time to time."""
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + LOOK_S
            if not self._order.place.exists():
                raise Terminated(signal.SIGTERM)
