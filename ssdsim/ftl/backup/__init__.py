"""Backups of paired pages: what is written before a page may be, for the sake of others on its wordline."""

from ssdsim.ftl.backup.backups import Backups
from ssdsim.ftl.backup.base import Backup, PairedPageBackup, last_paired_pages
from ssdsim.ftl.backup.policies import BlockParity, PageCopy, PairParity

__all__ = ["Backup", "Backups", "BlockParity", "PageCopy", "PairParity", "PairedPageBackup", "last_paired_pages"]
