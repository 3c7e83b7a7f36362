"""Wordlines whose pages come from several sides at once."""

from random import Random

from support.requests import write


def test_a_collection_pads_no_wordline_in_the_midst_of_a_write(run):
    """In a stopped fold the last valid page may be the one that the host writes: then what it moved is padded."""
    random, at, rows = Random(47), 0, []
    for _ in range(80):
        at += random.choice([0, 1, 1, 2]) * 500_000
        rows.append(write(random.randrange(70), at, random.randint(1, 6)))
    cells = {"bits_per_cell": 2, "program_unit": "wordline", "page_type_map": "modulo"}
    device = {
        "hardware": {**cells, "planes_per_die": 2, "blocks_per_plane": 40, "over_provisioning": 0.75},
        "ftl": {
            "unit": "super_page",
            "slc_cache": {"blocks": 2},
            "gc": {
                "idle_us": 100.0,
                "starts_before_write": True,
                "trigger": "free_pages",
                "soft_threshold": 0.05,
                "hard_threshold": 0.05,
            },
        },
        "precondition": {"mode": "fill", "fill_share": 0.15},
    }
    run(rows, device)  # integrity is checked
