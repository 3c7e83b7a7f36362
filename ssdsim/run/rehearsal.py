"""A first call of the user's own policies, before a run that may get to them only after long preparation."""

import json
import os
import signal
import sys
import warnings
from typing import Any

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
    sys.stdout.flush()  # else the other process would write what is in the buffers once more
    sys.stderr.flush()
    reads, writes = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of threads, none of which is needed by the other process
        child = os.fork()
    if not child:
        _in_the_other_process(config, writes)
    os.close(writes)  # or the pipe would not end here
    with os.fdopen(reads, encoding="utf-8") as pipe:
        failure = pipe.read()
    os.waitpid(child, 0)
    if failure:
        message, frames = json.loads(failure)
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


def _in_the_other_process(config: SimulationConfig, writes: int) -> Any:
    """Rehearse, write what was wrong, if anything was, and end."""
    try:
        silent = os.open(os.devnull, os.O_WRONLY)
        for number in (1, 2):  # stdout and stderr
            os.dup2(silent, number)
        for ending in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM):
            signal.signal(ending, signal.SIG_DFL)
        signal.alarm(MOST_S)  # a policy that does not return ends with the process, and the run tells of it
        Simulation(smaller(config)).run()
    except PolicyError as error:
        if error.__cause__ is None or isinstance(error.__cause__, MISTAKES):
            with os.fdopen(writes, "w", encoding="utf-8") as pipe:
                json.dump([str(error), error.frames], pipe)
    except BaseException:  # the run will tell of it, or it is of the smaller device
        pass
    finally:
        os._exit(0)  # without what Python does at its end, which is the parent's
