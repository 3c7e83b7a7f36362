"""Rows of separated text in which numbers are plain digits, as most traces are written, to columns."""

from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcmp

import numpy as np

cdef enum:
    MOST_COLUMNS = 32
    MOST_TOKENS = 64        # different ones of a column, which are searched one by one
    MOST_DIGITS = 18        # which fit 64 bits

ctypedef const unsigned char *Place

cdef struct Column:
    int64_t *numbers        # or NULL
    int decimals            # of a number
    int32_t *indices        # of tokens, or NULL
    int32_t tokens          # how many different ones there are, and where each was first met
    Place begins[MOST_TOKENS]
    Py_ssize_t lengths[MOST_TOKENS]


cdef Py_ssize_t lines(Place at, Place end) noexcept:
    """Return how many lines there are, the last of which may lack its end."""
    cdef Py_ssize_t ends = end > at and (end - 1)[0] != c"\n"
    while at < end:
        ends += at[0] == c"\n"
        at += 1
    return ends


cdef inline bint is_digit(unsigned char symbol) noexcept:
    return symbol >= c"0" and symbol <= c"9"


cdef inline Place number(Place at, int decimals, int64_t *value) noexcept:
    """Read digits, and up to `decimals` after a point, as units of the last; return where they end, NULL if not so."""
    cdef Place begin = at
    value[0] = 0
    while is_digit(at[0]):
        value[0] = 10 * value[0] + (at[0] - c"0")
        at += 1
    if at == begin or at - begin + decimals > MOST_DIGITS:
        return NULL
    if decimals and at[0] == c".":
        at += 1
        if not is_digit(at[0]):
            return NULL
        while decimals > 0 and is_digit(at[0]):
            value[0] = 10 * value[0] + (at[0] - c"0")
            decimals -= 1
            at += 1
    while decimals:
        value[0] *= 10
        decimals -= 1
    return at


cdef inline Place word(Place at, unsigned char separator) noexcept:
    """Return where printable ASCII that begins here ends, NULL if there is none."""
    if at[0] == separator or at[0] < c" ":
        return NULL
    while at[0] >= c" " and at[0] <= c"~" and at[0] != separator:
        at += 1
    return at


cdef int32_t index_of(Column *column, Place begin, Py_ssize_t length) noexcept:
    """Return the position of a token among the different ones, -1 if these are too many."""
    cdef int32_t index
    for index in range(column.tokens):
        if column.lengths[index] == length and memcmp(column.begins[index], begin, length) == 0:
            return index
    if column.tokens == MOST_TOKENS:
        return -1
    column.begins[column.tokens] = begin
    column.lengths[column.tokens] = length
    column.tokens += 1
    return column.tokens - 1


cdef bint read(Place at, Place end, Column *columns, int count, unsigned char separator) noexcept:
    """Read all rows, and return whether they are plain. There is a 0 at `end`."""
    cdef Py_ssize_t row = 0
    cdef int place
    cdef Place begin
    cdef Column *column
    while at < end:
        for place in range(count):
            column = &columns[place]
            begin = at
            if column.numbers != NULL:
                at = number(begin, column.decimals, &column.numbers[row])
            else:
                at = word(begin, separator)
            if at == NULL or (at[0] != separator and place < count - 1):
                return False
            if column.indices != NULL:
                column.indices[row] = index_of(column, begin, at - begin)
                if column.indices[row] < 0:
                    return False
            at += 1
        if at <= end and (at - 1)[0] != c"\n":
            return False
        row += 1
    return True


def plain_columns(bytes text, str separator, list kinds):
    """Return the columns of `text`, whose fields are separated by `separator`, or None where a row is not plain.

    The kind of a column is how many decimals its numbers have at most, which then count units of the last, or `str` for
    tokens, or None if it is of no use. Numbers come as an array, tokens as an array of their positions in a list, and
    that list. Plain are rows of all columns in ASCII, unsigned numbers, and no more than 64 different tokens.
    """
    cdef Column columns[MOST_COLUMNS]
    cdef int place, count = len(kinds)
    cdef Place start = text
    cdef Py_ssize_t rows = lines(start, start + len(text))
    cdef int64_t[::1] numbers
    cdef int32_t[::1] indices
    if not rows or count > MOST_COLUMNS:
        return None
    arrays = [None if kind is None else np.empty(rows, np.int32 if kind is str else np.int64) for kind in kinds]
    for place in range(count):
        columns[place].numbers = NULL
        columns[place].indices = NULL
        columns[place].tokens = 0
        if kinds[place] is str:
            indices = arrays[place]
            columns[place].indices = &indices[0]
        elif kinds[place] is not None:
            numbers = arrays[place]
            columns[place].numbers = &numbers[0]
            columns[place].decimals = kinds[place]
    if not read(start, start + len(text), columns, count, ord(separator)):
        return None
    return [
        (arrays[place], [columns[place].begins[index][: columns[place].lengths[index]].decode()
                         for index in range(columns[place].tokens)])
        if kinds[place] is str else arrays[place]
        for place in range(count)
    ]
