"""Columns: arrays of numbers of one type, which compiled code reads and writes as memory."""

from array import array
from collections.abc import Sequence
from typing import TypeAlias

Int64s: TypeAlias = "array[int]"
Int32s: TypeAlias = "array[int]"
Int8s: TypeAlias = "array[int]"
Uint64s: TypeAlias = "array[int]"
Uint32s: TypeAlias = "array[int]"
Uint16s: TypeAlias = "array[int]"
Uint8s: TypeAlias = "array[int]"
FrozenInt64s: TypeAlias = Sequence[int]
FrozenBytes: TypeAlias = Sequence[int]
