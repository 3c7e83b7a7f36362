"""Backups of paired pages: what is written before a page may be, for the sake of others on its wordline."""

from ssdsim.ftl.backup.backups import Backups
from ssdsim.ftl.backup.policies import Backup, BlockParity, PageCopy, PairedPageBackup, PairParity, last_paired_pages

__all__ = ["Backup", "Backups", "BlockParity", "PageCopy", "PairParity", "PairedPageBackup", "last_paired_pages"]
