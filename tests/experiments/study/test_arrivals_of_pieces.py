"""What was found in the pieces of real traces that the papers' workloads come from."""

from experiments.study.arrivals import FITTED, overrides
from ssdsim.command.compose import composed


def test_overrides_say_the_same_as_the_keys():
    for arrivals in FITTED.values():
        found = composed(["workload=synthetic", "workload.rate_iops=100", *overrides(arrivals)]).workload
        assert {name: getattr(found, name) for name in arrivals} == arrivals
