"""Types of the compiled kernel for editors and type checkers: to these its environment is one of SimPy's."""

from typing import Any

import simpy

class Environment(simpy.Environment): ...

def __getattr__(name: str) -> Any: ...
