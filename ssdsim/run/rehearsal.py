"""A first call of the user's own policies, before a run that may get to them only after long preparation."""

import signal
import warnings
from contextlib import redirect_stderr, redirect_stdout, suppress
from io import StringIO
from multiprocessing import get_context
from multiprocessing.connection import Connection

from attrs import evolve

from ssdsim.config import HardwareConfig, SimulationConfig, SyntheticConfig
from ssdsim.errors import PolicyError
from ssdsim.run.simulation import Simulation

BLOCKS = 64
REQUESTS = 400
MOST_S = 10

MISTAKES = (TypeError, AttributeError, NameError)
"""Errors that a smaller device does not bring about. Others may be of its size, and are left to the run."""


def rehearse(config: SimulationConfig) -> None:
    """Serve a few requests on a device like that of `config`, of at most 64 blocks a plane.

    Raise the `PolicyError` of a method that is wrong in itself, by what it returns or by one of `MISTAKES`. All is done
    in a process of its own, so that no policy, module or random stream is other than before. Where no such device can
    be made, nothing is rehearsed.
    """
    context = get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_rehearsed, args=(config, sender))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of threads, none of which is needed by the other process
        process.start()
    sender.close()  # or the pipe would not end here
    try:
        message, frames = receiver.recv()
    except EOFError:
        return
    finally:
        process.join()
    raise PolicyError(message, frames)


def smaller(config: SimulationConfig) -> SimulationConfig:
    """Return `config` with fewer blocks, and with a few generated requests in every stream."""
    # more blocks would take longer to build, and bring about nothing else
    hardware: HardwareConfig = evolve(config.hardware, blocks_per_plane=min(config.hardware.blocks_per_plane, BLOCKS))
    if config.ftl.extra_block_share is not None:
        hardware = evolve(hardware, extra_blocks=0)
    # some of every operation but a flush, several at a time
    load = SyntheticConfig(requests=REQUESTS, read_share=0.3, trim_share=0.05, queue_depth=8)
    # written to steadiness takes too long for a rehearsal
    mode = "fill" if config.precondition.mode == "writes" else config.precondition.mode
    return evolve(
        config,
        hardware=hardware,
        workload=load,
        workloads=dict.fromkeys(config.workloads, load),
        precondition=evolve(config.precondition, mode=mode),
        record=[],
        check="off",
        integrity="off",
    )


def _rehearsed(config: SimulationConfig, sender: Connection) -> None:
    """Rehearse in a process of its own, and send what was wrong, if anything was; else the run will tell of it."""
    for ending in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM):
        signal.signal(ending, signal.SIG_DFL)
    signal.alarm(MOST_S)  # a policy that does not return ends with the process
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()), suppress(BaseException):
        try:
            Simulation(smaller(config)).run()
        except PolicyError as error:
            if error.__cause__ is None or isinstance(error.__cause__, MISTAKES):
                sender.send((str(error), error.frames))
