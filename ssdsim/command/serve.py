"""Serve a simulated drive as a network block device (NBD), until Ctrl-C: to fio, qemu, nbdcopy, or Linux as a disk.

Simulated time goes with the wall's clock. Arguments are overrides as of `run`, without a workload: that is what clients
send. When it ends there are results as of a run, and the load with them, which `run --config FOLDER` simulates again.
The signal USR1 cuts the drive's power where integrity=on is set.
An example: --listen unix:drive.sock hardware=tlc_2g; then nbdinfo 'nbd+unix:///?socket=drive.sock' in the same folder.
"""

import asyncio
import signal
import sys
from collections.abc import Sequence
from functools import partial
from math import isfinite
from pathlib import Path
from selectors import SelectSelector

from ssdsim import Environment
from ssdsim.config import SimulationConfig
from ssdsim.drive import Drive
from ssdsim.errors import ConfigError, InputError
from ssdsim.metrics.folder import ResultFolder
from ssdsim.run.interrupts import ENDING, held_back
from ssdsim.serve.address import Address
from ssdsim.serve.data import Data
from ssdsim.serve.server import Server

from . import parser
from .compose import compose, made, session
from .runs import report


def main(arguments: Sequence[str]) -> int:
    """Serve the drive, and return 0 when told to end, or 2 for what cannot be served."""
    options = parser("serve", __doc__, "the drive, as of `run`")
    options.add_argument("--listen", required=True, metavar="ADDRESS", help="unix:PATH, or HOST:PORT of this machine")
    options.add_argument("--slow", type=float, default=1.0, metavar="FACTOR", help="slow time by this factor (1)")
    options.add_argument("--data", type=Path, metavar="FILE", help="keep the data in a sparse file (default: memory)")
    given = options.parse_intermixed_args(arguments)
    address = Address.parse(given.listen)
    if not (isfinite(given.slow) and given.slow > 0):
        raise InputError(f"--slow {given.slow}: must be above 0.")
    if load := next((text for text in given.overrides if text.startswith("workload")), ""):
        raise ConfigError(f"{load}: the load of a served drive is what its clients send; leave it out.")
    with session():
        node = compose("workload=synthetic", *given.overrides)
        config = made(node, given.overrides)
        path = Path(node.hydra.run.dir)
    with ResultFolder(path, node.overwrite) as folder:
        try:
            serve(config, folder, address, given.slow, given.data)
        finally:
            if folder.written:
                report(path, node.quiet)
    return 0


def serve(config: SimulationConfig, folder: ResultFolder, address: Address, slow: float, file: Path | None) -> None:
    """Serve the drive of `config` until a signal that ends a run comes, and write the results."""
    tell = partial(print, file=sys.stderr, flush=True)
    tell("Preparing the drive.")
    env, block_bytes = Environment(), config.hardware.page_bytes & -config.hardware.page_bytes
    drive, handlers = Drive(env, config, folder), {number: signal.getsignal(number) for number in ENDING}
    try:
        # `select` waits for microseconds, where others round up to milliseconds
        loop = asyncio.SelectorEventLoop(SelectSelector())
        with Data(drive.size_bytes, file) as data, asyncio.Runner(loop_factory=lambda: loop) as runner:
            server = Server(env, drive, data, block_bytes, slow, tell)
            loop.add_signal_handler(signal.SIGUSR1, server.cut_power)
            for number in ENDING:
                # a script's background jobs begin with SIGINT ignored; SIGHUP is if `nohup` asks for that
                if number != signal.SIGHUP or handlers[number] != signal.SIG_IGN:
                    loop.add_signal_handler(number, server.stop)
            runner.run(server.run(address))
    except OSError as error:
        raise InputError(f"--data {file}: cannot hold the data: {error.strerror}.") from None
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        with held_back():
            drive.finish()
