"""The rules of queue pairs, held against each command (`integrity=on`)."""

from collections import deque

from ssdsim.errors import SimulationError
from ssdsim.host.request import Request


class QueuePairCheck:
    """Follows each command from its submission until the host is told.

    A queue pair has no more than `depth` commands outstanding, and the controller no more than `fetch_size` of them
    under way. They are fetched in the order of their submission, and completed once each; the host is told of them in
    the order in which they were completed, at most `wait_ns` later.
    """

    def __init__(self, pairs: int, depth: int, fetch_size: int, wait_ns: int):
        self.depth, self.fetch_size, self.wait_ns = depth, fetch_size, wait_ns
        self.submitted_commands: list[deque[Request]] = [deque() for _ in range(pairs)]
        self.fetched_commands: list[list[Request]] = [[] for _ in range(pairs)]
        self.posted_commands: list[deque[tuple[Request, int]]] = [deque() for _ in range(pairs)]

    def demand(self, holds: bool, pair: int, command: Request, fault: str) -> None:
        """Raise `SimulationError` unless a rule holds."""
        if not holds:
            raise SimulationError(f"queue pair {pair}: a command of request {command.id} {fault}.")

    def submitted(self, pair: int, command: Request) -> None:
        """Note a command that is put into the submission queue."""
        self.submitted_commands[pair].append(command)
        in_controller = len(self.fetched_commands[pair])
        outstanding = len(self.submitted_commands[pair]) + in_controller + len(self.posted_commands[pair])
        self.demand(outstanding <= self.depth, pair, command, "is submitted though the queue is full")

    def fetched(self, pair: int, command: Request) -> None:
        """Note a command that the controller takes."""
        line = self.submitted_commands[pair]
        self.demand(bool(line) and line.popleft() is command, pair, command, "is fetched out of turn")
        self.fetched_commands[pair].append(command)
        within = len(self.fetched_commands[pair]) <= self.fetch_size
        self.demand(within, pair, command, "is fetched while the fetch size is under way")

    def posted(self, pair: int, command: Request, now_ns: int) -> None:
        """Note a command that is complete."""
        known = [under_way for under_way in self.fetched_commands[pair] if under_way is command]
        self.demand(len(known) == 1, pair, command, "is completed, and not under way")
        self.fetched_commands[pair].remove(command)
        self.posted_commands[pair].append((command, now_ns))

    def told(self, pair: int, command: Request, now_ns: int) -> None:
        """Note a command that the host is told of."""
        line = self.posted_commands[pair]
        first, posted_ns = line.popleft() if line else (None, 0)
        self.demand(first is command, pair, command, "is told out of turn")
        self.demand(now_ns - posted_ns <= self.wait_ns, pair, command, "is told later than the aggregation time allows")
