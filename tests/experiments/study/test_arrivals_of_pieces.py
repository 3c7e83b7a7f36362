"""What was found in the pieces of real traces that the papers' workloads come from."""

from experiments.study.arrivals import FITTED
from ssdsim.command.compose import composed
from ssdsim.config import SyntheticConfig


def test_overrides_say_the_same_as_the_keys():
    for arrivals in FITTED.values():
        found = composed(["workload=synthetic", "workload.rate_iops=100", *arrivals.overrides()]).workload
        keys = arrivals.keys()
        assert {name: getattr(found, name) for name in keys} == keys
        assert arrivals.on(SyntheticConfig(rate_iops=100.0)).levels == found.levels
