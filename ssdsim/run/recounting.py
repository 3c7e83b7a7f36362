"""The recount of a run's summary: what it was given and what it left unfinished, kept for `ssdsim.check.recount`."""

from typing import Any

import pyarrow as pa

from ssdsim._core.codes import READ
from ssdsim._core.rebuild import programmed_pages
from ssdsim.check.recount import Circumstances, Claim, Loss, differences, recount
from ssdsim.flash.views import Transaction, dies_of
from ssdsim.metrics.logs import CommandLog
from ssdsim.metrics.parquet import read_table
from ssdsim.run.context import Context

_IDLE, _COMMAND, _ARRAY, DATA_OUT = range(4)
"""The phases of `ssdsim.flash.die_process`."""


class Recount:
    """Keeps of `run`, from the start of its measurement on, what its tables do not hold."""

    def __init__(self, run: Context):
        self.run = run
        blocks = run.device.blocks
        self.start_ns = run.now_ns()
        programmed, erases, *_ = programmed_pages(blocks)
        # copies: these columns go on changing
        self.programmed, self.erases = programmed[:, : blocks.page_types].copy(), erases.copy()
        self.pending = list(run.device.collector.victims.values())
        self.until_ns: list[int] = []
        self.loss: Loss | None = None
        suspends = run.device.dies.suspension is not None
        self.under_way, self.unfinished = (CommandLog(None, run.config.hardware, suspends) for _ in range(2))
        self.record_unfinished(self.under_way)

    def power_lost(self) -> None:
        """Record the requests and commands under way, as power is about to be cut."""
        lost_ns = self.run.now_ns()
        aborted = [
            (
                *(request.stream, request.op, request.offset_bytes, request.size_bytes),
                lost_ns if request.admitted_ns < 0 else request.admitted_ns,
                lost_ns if request.posted_ns < 0 else request.posted_ns,
            )
            for request in self.run.host.requests_inside()
        ]
        self.leave_unfinished()
        self.loss = Loss(lost_ns, aborted, len(self.until_ns))

    def leave_unfinished(self) -> None:
        """Record the commands that the end of the run leaves unfinished."""
        number = self.record_unfinished(self.unfinished)  # all of them went on until now
        self.until_ns += [self.run.now_ns()] * number

    def record_unfinished(self, log: CommandLog) -> int:
        """Record the pages that dies execute, or that wait for these or for wordlines; return how many there are."""
        number = 0
        for die in dies_of(self.run.device.dies):
            executed = [(page, reached(page, phase)) for t, phase in die.phases for page in t.command()]
            # What waits has reached no time at all.
            waiting = [page for queue in die.queues for command in queue for page in command.command()]
            for page, times in [*executed, *((page, (-1,) * 5) for page in waiting)]:
                log.pages.add_reached(page.transactions, page.number, *times)
                number += 1
        wordlines = self.run.device.scheduler.wordlines
        for transaction in [] if wordlines is None else wordlines.all_waiting():
            log.pages.add_reached(wordlines.transactions, transaction, *(-1,) * 5)
            number += 1
        return number

    def fault(self, summary: dict[str, Any], tables: dict[str, pa.Table]) -> str | None:
        """Return a sentence on the first figure of `summary` that is not as the tables say, or None."""
        return next((f"check: {sentence}." for sentence in differences(summary, self.counted(summary, tables))), None)

    def counted(self, summary: dict[str, Any], tables: dict[str, pa.Table]) -> list[Claim]:
        """Return the claims of a finished run's tables about the fields of its summary."""
        run = self.run
        self.leave_unfinished()  # before the tables are read: what is unfinished counts, too
        requests, commands = (self.table(name, tables) for name in ("requests", "commands"))
        main = run.workloads["main"]
        under_way, unfinished = self.under_way.close(), self.unfinished.close()
        assert under_way is not None and unfinished is not None
        circumstances = Circumstances(
            config=run.config,
            streams=list(run.workloads),
            start_ns=self.start_ns,
            end_ns=run.now_ns(),
            under_way=under_way,
            until_ns=self.until_ns,
            erases=self.erases,
            programmed=self.programmed,
            pending_before=self.pending,
            pending_after=list(run.device.collector.victims.values()),
            collection_units=run.device.blocks.planes // run.device.collector.width,
            planes_joined=run.device.parts.planes_joined,
            round_requests=(main.requests or 0) // main.rounds if main.rounds > 1 else 0,
            loss=self.loss,
        )
        return recount(summary, requests, commands, unfinished, circumstances)

    def table(self, name: str, tables: dict[str, pa.Table]) -> pa.Table:
        """Return a table of the run, from its file where it was written."""
        if name in tables:
            return tables[name]
        path = self.run.path(f"{name}.parquet")
        assert path is not None
        return read_table(path)


def reached(t: Transaction, phase: int) -> tuple[int, int, int, int, int]:
    """Return the times that an executed transaction has reached (`CommandRows.add_reached`), and -1 for the others."""
    # The array's end is set beforehand, when its time begins: it has come once data goes out.
    is_sensed = phase == DATA_OUT and t.op == READ  # a program may wait on the chip
    array_end_ns = t.array_end_ns if is_sensed else -1
    # A time before the array's end is left of an earlier use of the transaction.
    moves = is_sensed and t.data_start_ns >= t.array_end_ns
    return t.bus_start_ns, t.array_start_ns, array_end_ns, t.data_start_ns if moves else -1, -1
