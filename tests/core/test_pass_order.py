"""The order of coarse and fine passes, as a table."""

from hypothesis import given
from hypothesis import strategies as st

from ssdsim._core.pass_order import COARSE, FINE, last_coarse, most_open, pass_order, place_of

ORDERS = ("layer_first", "string_first")


@given(st.integers(1, 12), st.integers(1, 6), st.sampled_from(ORDERS))
def test_every_wordline_has_its_fine_pass_after_the_coarse_one_of_the_next_layer(layers, strings, string_order):
    """And none waits for more wordlines than are said to be open; each goes on as soon as it may."""
    shape = layers * strings, strings, string_order
    order = pass_order(*shape)
    numbers = range(layers * strings)
    turn = {each: place for place, each in enumerate(order)}
    assert sorted(order) == sorted((number, name) for number in numbers for name in (COARSE, FINE))
    place = {place_of(number, *shape): number for number in numbers}
    assert sorted(place) == [(layer, string) for layer in range(layers) for string in range(strings)]
    for (layer, string), number in place.items():
        assert turn[number, COARSE] < turn[number, FINE]
        if layer + 1 < layers:
            assert turn[place[layer + 1, string], COARSE] < turn[number, FINE]
    for name in (COARSE, FINE):
        assert [number for number, each in order if each == name] == list(numbers)
    held, most = 0, 0
    for _, name in order:
        held += 1 if name == COARSE else -1
        most = max(most, held)
    assert most == most_open(*shape)


def test_the_order_of_two_strings_of_three_layers():
    """Layer first, two wordlines lie between the passes of one; string first there is one."""
    coarse, fine = ([(number, name) for number in range(6)] for name in (COARSE, FINE))
    layer_first = [*coarse[:3], fine[0], coarse[3], fine[1], coarse[4], fine[2], coarse[5], *fine[3:]]
    assert pass_order(6, 2, "layer_first") == layer_first
    one_string = [coarse[0], coarse[1], fine[0], coarse[2], fine[1], fine[2]]
    assert pass_order(6, 2, "string_first") == one_string + [(number + 3, name) for number, name in one_string]
    assert [most_open(6, 2, each) for each in ORDERS] == [3, 2]
    assert last_coarse(6, 2, "layer_first") == [2, 3, 4, 5, 5, 5]
