"""Types of the names that are imported at the first use of one."""

from ssdsim._core.kernel import Environment as Environment
from ssdsim.command.from_python import preset as preset
from ssdsim.config import *  # noqa: F403
from ssdsim.config.saved import load_config as load_config
from ssdsim.drive import Drive as Drive
from ssdsim.errors import *  # noqa: F403
from ssdsim.metrics.folder import ResultFolder as ResultFolder
from ssdsim.metrics.result import Result as Result
from ssdsim.metrics.result import Sweep as Sweep
from ssdsim.run.simulation import Simulation as Simulation
from ssdsim.run.simulation import simulate as simulate

__version__: str
