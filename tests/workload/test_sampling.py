"""Zipf ranks against their exact probabilities, and permutations as bijections."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdsim.workload.synthetic import Permutation, Zipf

DRAWS = 200_000


@pytest.mark.parametrize("theta", [0.2, 0.99, 1.0, 1.3, 2.5])
@pytest.mark.parametrize("items", [1, 2, 10, 5000])
def test_zipf_frequencies_pass_a_chi_square_test(items, theta):
    ranks = Zipf(items, theta).draw(np.random.default_rng(7), DRAWS)
    weights = np.arange(1, items + 1) ** -theta
    expected = DRAWS * weights / weights.sum()
    seen = np.bincount(ranks, minlength=items)
    assert len(seen) == items
    # Ranks with few expected draws are joined into one class, as the test requires.
    common = expected >= 10
    seen = np.append(seen[common], seen[~common].sum())
    expected = np.append(expected[common], max(expected[~common].sum(), 1e-9))
    degrees = max(int(common.sum()) - 1, 1)
    chi_square = ((seen - expected) ** 2 / expected).sum()
    assert chi_square < degrees + 5 * np.sqrt(2 * degrees) + 5


def test_zipf_over_a_billion_items_needs_no_table():
    items, theta = 10**9, 0.99
    ranks = Zipf(items, theta).draw(np.random.default_rng(7), DRAWS)
    assert ranks.min() >= 0
    assert ranks.max() < items
    # The sum of i ** -theta, by Euler and Maclaurin from i = 1000 on.
    total = (np.arange(1, 1000) ** -theta).sum() + (items ** (1 - theta) - 1000 ** (1 - theta)) / (1 - theta)
    for bound in (1, 10, 999):
        share = (np.arange(1, bound + 1) ** -theta).sum() / total
        assert (ranks < bound).mean() == pytest.approx(share, abs=5 * np.sqrt(share / DRAWS))


@given(st.integers(1, 2000), st.integers(0, 2**32))
def test_permutation_is_a_bijection(items, seed):
    images = Permutation(items, np.random.default_rng(seed))(np.arange(items))
    assert sorted(images.tolist()) == list(range(items))
