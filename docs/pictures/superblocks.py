"""In which order the pages of a superblock are written, as a small device wrote them."""

from itertools import product

from ssdsim import FtlConfig, HardwareConfig, PreconditionConfig, SimulationConfig, SyntheticConfig, simulate

from .canvas import BLUE, GREEN, YELLOW, Canvas

PAGES = 3
STRIPES = (BLUE, GREEN, YELLOW)


def order_written(order: str) -> list[tuple[int, int, int, int]]:
    """Return channel, die, plane and page of the first programs where superblocks are filled in `order`."""
    planes = {"channels": 2, "chips_per_channel": 1, "dies_per_chip": 2, "planes_per_die": 2}
    config = SimulationConfig(
        hardware=HardwareConfig(**planes, blocks_per_plane=24, pages_per_block=12, over_provisioning=0.5),
        ftl=FtlConfig(unit="superblock", plane_allocation=order),
        workload=SyntheticConfig(requests=8 * PAGES, read_share=0, queue_depth=1),
        precondition=PreconditionConfig(mode="none"),
        record=["commands"],
    )
    made = simulate(config).commands.to_pylist()
    return [(each["channel"], each["die"], each["plane"], each["page"]) for each in made]


def superblocks() -> str:
    """Return the picture: planes across, the pages of their aligned blocks down, and when each is written."""
    canvas = Canvas(100, 36)
    for column, order in enumerate(("CWDP", "PCWD")):
        left = 10 + column * 47
        canvas.text(left + 20, 3, f"ftl.plane_allocation={order}", 9)
        numbers = {place: number for number, place in enumerate(order_written(order))}
        for at, (channel, die, plane) in enumerate(product(range(2), repeat=3)):
            if plane == 0:
                canvas.text(left + at * 5 + 5, 8, f"channel {channel}\ndie {die}", 7.5)
            canvas.text(left + at * 5 + 2.5, 12.5, f"plane {plane}", 6)
            for page in range(PAGES):
                number = numbers[channel, die, plane, page]
                canvas.box(left + at * 5 + 0.3, 15 + page * 6, 4.4, 5.2, STRIPES[number // 8])
                canvas.text(left + at * 5 + 2.5, 17.6 + page * 6, str(number), 8.5)
        for page in range(PAGES if column == 0 else 0):
            canvas.text(left - 1, 17.6 + page * 6, f"page {page}", 8, "right")
    return canvas.svg()
