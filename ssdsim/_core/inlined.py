"""What compiled modules call so often that it is inlined there."""

from ssdsim._core.either_kernel import now

__all__ = ["now"]
