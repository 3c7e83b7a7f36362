"""`RandomStream`: NumPy's PCG64, one stream for each purpose."""

import zlib

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ssdsim._core.random import RandomStream


@given(st.integers(0, 2**64), st.text(max_size=10), st.integers(1, 2**63))
def test_a_stream_draws_what_numpy_would(seed, purpose, bound):
    bits = np.random.PCG64(np.random.SeedSequence([seed, zlib.crc32(purpose.encode())]))
    stream = RandomStream(seed, purpose)
    assert [stream.below(bound) for _ in range(5)] == [int(raw) * bound >> 64 for raw in bits.random_raw(5)]
    assert stream.uniform() == np.random.Generator(bits).random()


def test_purposes_and_seeds_do_not_share_a_stream():
    drawn = {RandomStream(seed, purpose).below(2**63) for seed in (1, 2) for purpose in ("victim", "fill")}
    assert len(drawn) == 4
