"""The rates of a stream, held against all that it sends (`integrity=on`)."""

from fractions import Fraction

from ssdsim._core.codes import FLUSH, READ, WRITE
from ssdsim.errors import SimulationError


class RateCheck:
    """Demands that no window of time has more than its length times the rate, and the burst, of bytes or requests.

    A request that is larger than the burst may be as much more, and what comes in a nanosecond makes no difference.
    """

    def __init__(self, name: str, mib_s: float | None, iops: float | None, burst_ms: float):
        byte_rate = None if mib_s is None else Fraction(mib_s) * 2**20
        given = {"bytes": byte_rate, "requests": iops}
        self.name, self.burst_s = name, Fraction(round(burst_ms * 1e6), 10**9)  # of whole nanoseconds
        self.rates = {unit: Fraction(rate) for unit, rate in given.items() if rate is not None}
        self.sent_before = dict.fromkeys(self.rates, Fraction(0))
        self.most: dict[str, Fraction] = {}  # by unit: rate * time - sent, over the beginnings of windows

    def sent(self, op: int, size_bytes: int, now_ns: int) -> None:
        """Note a request that is sent; raise `SimulationError` if some window that ends with it has too much."""
        moved = size_bytes if op in (READ, WRITE) else 0
        amounts = {"bytes": Fraction(moved), "requests": Fraction(op != FLUSH)}
        for unit, rate in self.rates.items():
            amount, filled = amounts[unit], rate * now_ns / 10**9
            if not amount:
                continue
            begun = filled - self.sent_before[unit]
            self.most[unit] = max(self.most.get(unit, begun), begun)
            self.sent_before[unit] += amount
            over = self.sent_before[unit] - filled + self.most[unit] - max(rate * self.burst_s, amount)
            over -= rate / 10**9  # requests go at whole nanoseconds
            if over > 0:
                raise SimulationError(
                    f"integrity: stream {self.name} has sent {float(over):g} {unit} more at {now_ns} ns than its rate "
                    "and its burst allow."
                )
