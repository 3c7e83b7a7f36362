"""The backup of paired pages that a configuration describes."""

from ssdsim.assembly.mappings import translation_pages
from ssdsim.assembly.registry import make_policy
from ssdsim.config import SimulationConfig
from ssdsim.errors import ConfigError
from ssdsim.ftl import backup
from ssdsim.ftl.backup import PairedPageBackup


def make_backup(config: SimulationConfig) -> PairedPageBackup | None:
    """Return what backs up paired pages, not yet bound, or None; raise `ConfigError` if it cannot."""
    ftl, hardware = config.ftl, config.hardware
    if ftl.backup == "none":
        return None
    policy: PairedPageBackup = make_policy("ftl.backup", ftl.backup, PairedPageBackup, backup)
    key = f"ftl.backup={ftl.backup}"
    if hardware.page_types > policy.most_types:
        raise ConfigError(
            f"{key}: is for {policy.most_types} page types, and the hardware has {hardware.page_types}; set it to "
            "block_parity or none."
        )
    if ftl.block_allocation == "aligned":
        raise ConfigError(
            f"{key}: sets blocks of a plane aside, and ftl.block_allocation=aligned; set one of them to another."
        )
    if policy.needs_frontier and ftl.block_allocation != policy.needs_frontier:
        raise ConfigError(
            f"{key}: needs blocks filled as by ftl.block_allocation={policy.needs_frontier}, and it is "
            f"{ftl.block_allocation}; set one of them to another."
        )
    if policy.needs_frontier and ftl.active_blocks != "shared":
        raise ConfigError(
            f"{key}: erases backups in the order in which the blocks of one writer fill up, and ftl.active_blocks="
            f"{ftl.active_blocks}; set it to shared."
        )
    return policy


def blocks_set_aside(config: SimulationConfig) -> int:
    """Return the blocks of a plane that backups take: those of the mapping table, if it is in flash, have their own."""
    policy = make_backup(config)
    writers = 2 if translation_pages(config) else 1
    return 0 if policy is None else writers * policy.blocks_needed(config.hardware)
