# cython: infer_types=True
"""Who asks the schemes, and in what order they may stand."""

from __future__ import annotations

from collections.abc import Iterable
from typing import final

from ssdsim._core.calls import cfunc
from ssdsim.errors import ConfigError
from ssdsim.ftl.page_type.interface import BY_PAGE, PASS, PageTypeScheme
from ssdsim.host.request import Request


@final
class PageTypeSpecifier:
    """Asks a list of schemes in order, one list for each stream of requests and one for moved data."""

    streams: list[list[PageTypeScheme]]  # by stream: its schemes

    def __init__(self, streams: Iterable[list[PageTypeScheme]], moved_data: list[PageTypeScheme]) -> None:
        self.streams = list(streams)
        self.moved_data = moved_data

    def of_request(self, request: Request) -> int:
        """Return the type of page for all of the write `request`, or `BY_PAGE`."""
        return self.ask(self.streams[request.stream], request)

    def of_page(self, request: Request, plane: int) -> int:
        """Return the type for a page of `request`, or of moved data if it is None, that is being written to `plane`."""
        schemes: list[PageTypeScheme] = self.moved_data if request is None else self.streams[request.stream]
        scheme: PageTypeScheme
        for scheme in schemes:
            if scheme.is_by_page:
                return ask_for_page(scheme, plane)
        return self.ask(schemes, request)

    def of_moved_data(self, plane: int) -> int:
        """Return the type for a page that the garbage collector moves to `plane`."""
        page_type = self.ask(self.moved_data, None)
        return self.of_page(None, plane) if page_type == BY_PAGE else page_type

    def quota_left(self) -> int | None:
        """Return the quota of LSB pages that a scheme goes by, or None if none does."""
        for schemes in [*self.streams, self.moved_data]:
            for scheme in schemes:
                left = scheme.quota_left()
                if left is not None:
                    return left
        return None

    def ask(self, schemes: list[PageTypeScheme], request: Request) -> int:
        """Return the first answer."""
        scheme: PageTypeScheme
        for scheme in schemes:
            page_type = ask_one(scheme, request)
            if page_type != PASS:
                return page_type
        raise AssertionError("a list of schemes that may all pass was refused when the device was built")


@cfunc
def ask_one(scheme: PageTypeScheme, request: Request) -> int:
    """Return the answer of one scheme, which must be a type that there is."""
    page_type = scheme.choose(request)
    if not PASS <= page_type < scheme.types and not (page_type == BY_PAGE and scheme.is_by_page):
        raise ConfigError(
            f"ftl.page_type: {type(scheme).__name__} answered {page_type}; types are 0 to {scheme.types - 1}, or -1 to "
            "leave the write to the next scheme."
        )
    return page_type


@cfunc
def ask_for_page(scheme: PageTypeScheme, plane: int) -> int:
    """Return the answer of one scheme for a page that is written to `plane`, which must be a type that there is."""
    page_type = scheme.choose_page(plane)
    if not 0 <= page_type < scheme.types:
        raise ConfigError(
            f"ftl.page_type: {type(scheme).__name__} answered {page_type} for a page; types are 0 to "
            f"{scheme.types - 1}."
        )
    return page_type


def check_order(key: str, names: list[str], schemes: list[PageTypeScheme]) -> None:
    """Raise `ConfigError` if a scheme of the list is never asked, or if all may leave a write without a type."""
    if not schemes:
        raise ConfigError(f"{key}=[]: names no scheme; give one that always answers, such as utilization or uniform.")
    for place, scheme in enumerate(schemes):
        last = place == len(schemes) - 1
        if last and scheme.may_pass:
            raise ConfigError(
                f"{key}=[{','.join(names)}]: {names[place]} leaves some writes to another scheme; add one that always "
                "answers, such as utilization or uniform."
            )
        if not last and not scheme.may_pass:
            raise ConfigError(
                f"{key}=[{','.join(names)}]: {names[place]} always answers, so {names[place + 1]} is never asked; put "
                f"{names[place]} last."
            )
