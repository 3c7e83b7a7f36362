"""What theory says a device must do: write amplification under uniform random writes, and waiting for one server.

Write amplification A is page programs for each page that the host writes. All its models here are of a plane with many
blocks of `pages` pages, a share `utilization` of which hold current data, under single-page writes to logical pages
drawn uniformly. Let the host write one page: any given valid page dies with probability 1 / U, U being the number of
logical pages. Let A / b be the blocks filled, and so the victims taken, for each of these writes; a victim with v valid
pages on average makes room for b - v of the host's, so A = b / (b - v). The policies differ in v.

One write frontier or two. The models let a victim's survivors and new data fill one block; the simulator may keep them
apart. Under uniform traffic all valid pages are alike whatever their age, and a block's future depends only on its
valid count, so both fill blocks of b valid pages at the same rate and A is the same, up to terms of one block in all.
"""

from collections.abc import Callable
from math import exp, inf, sqrt


def utilization(logical_pages: int, blocks: int, pages: int, soft_threshold: int, *, shared: bool) -> float:
    """Return the share of valid pages in the pages of a plane that take part.

    A victim is chosen when the host has just opened a block and so left soft_threshold - 1 free; these
    `soft_threshold` blocks hold nothing. With a frontier of its own the collector has a block open too, at any stage
    with equal probability, which is half a block more on average.
    """
    idle = soft_threshold if shared else soft_threshold + 0.5
    return logical_pages / ((blocks - idle) * pages)


def lambert_w(x: float) -> float:
    """Return the principal branch of Lambert's W, w * exp(w) = x, for -1/e < x <= 0.

    Newton's method from 0: the function is rising and convex there, so the steps fall monotonically onto the root.
    """
    w, step = 0.0, inf
    while abs(step) > 1e-14:
        step = (w * exp(w) - x) / ((1 + w) * exp(w))
        w -= step
    return w


def random_selection(utilization: float) -> float:
    """Return A where every full block is as likely to be the victim, as in Van Houdt (2013), d = 1.

    The choice knows nothing of the contents, so v is the mean valid count, b * utilization. Exact for any b.
    """
    return 1 / (1 - utilization)


def fifo(utilization: float) -> float:
    """Return A where the oldest block is the victim ("LRU cleaning").

    P. Desnoyers, "Analytic modeling of SSD write performance", SYSTOR 2012; "Analytic models of SSD write
    performance", ACM Transactions on Storage 10(2), 2014.

    Between filling and collection of a block all T physical pages are written once, T / A times by the host. A page
    survives that with probability exp(-T / (A U)), so with x = T / (A U) and a = T / U: v / b = exp(-x) = 1 - 1 / A =
    1 - x / a, which has the solution x = a + W(-a exp(-a)).
    """
    a = 1 / utilization
    return a / (a + lambert_w(-a * exp(-a)))


def greedy(utilization: float, pages: int) -> float:
    """Return A where the block with the fewest valid pages is the victim (Desnoyers, as above).

    A block passes from i to i - 1 valid pages at the rate i / U, and as many blocks pass each level as are filled, so
    n(i) i / U = A / b for the number n(i) of blocks with i valid pages, from b down to some x; a block that falls to
    x - 1 is taken at once. With the sum of 1 / i from x to b taken as ln((b + 1/2) / (x - 1/2)), the n(i) add up to all
    blocks if, with a = T / U and y = x - 1/2,  ln((b + 1/2) / y) = a (b + 1/2 - y) / b,  which W solves for y.
    """
    a, b = 1 / utilization, pages
    start = a * (1 + 1 / (2 * b))
    x = 0.5 - b / a * lambert_w(-start * exp(-start))
    return b / (b - (x - 1))


def d_choices(utilization: float, pages: int, choices: float) -> float:
    """Return A where the best of `choices` blocks drawn with replacement is the victim; inf for the best of all.

    B. Van Houdt, "A mean field model for a class of garbage collection algorithms in flash-based solid state drives",
    SIGMETRICS 2013.

    Let m(i) be the share of blocks with i valid pages and s(i) that with i or more. Victims have i or more with
    probability s(i)^d. For each victim a block is filled, and h = b - v pages are written by the host, each of which
    moves a block from i to i - 1 with probability i m(i) N / U = i m(i) / (b u), u being the utilization. What comes
    into the levels from i up, one block, goes out of them as a victim or by passing from i to i - 1:
        1 = s(i)^d + h i m(i) / (b u),   i = b, ..., 1.
    For any h this yields m(b), m(b - 1), ... one after another; the h sought is that for which the mean of i is b u.
    Summed over i it then says h = b - v, as it must.
    """

    def mean_valid(h: float) -> float:
        above = mean = 0.0
        for i in range(pages, 0, -1):
            rate = h * i / (pages * utilization)
            share = rising_root(lambda m, rate=rate, above=above: (above + m) ** choices + rate * m - 1, 0, 1 - above)
            above, mean = above + share, mean + i * share
        return mean

    h = rising_root(lambda h: pages * utilization - mean_valid(h), 0, pages)
    return pages / h


def rising_root(function: Callable[[float], float], low: float, high: float) -> float:
    """Return where rising `function` changes its sign between `low` and `high`, by bisection."""
    while high - low > 1e-13 * high:
        middle = (low + high) / 2
        if function(middle) < 0:
            low = middle
        else:
            high = middle
    return high


def md1_mean_wait(load: float, service: float) -> float:
    """Return the mean wait before service: Poisson arrivals, one server, constant `service`, `load` below 1.

    Pollaczek and Khinchine: W = rate * E[S^2] / (2 (1 - load)), and E[S^2] = S^2 here.
    """
    return load * service / (2 * (1 - load))


def md1_wait_std(load: float, service: float) -> float:
    """Return the standard deviation of the same wait: E[W^2] = 2 E[W]^2 + rate * E[S^3] / (3 (1 - load))."""
    return sqrt(md1_mean_wait(load, service) ** 2 + load * service**2 / (3 * (1 - load)))
