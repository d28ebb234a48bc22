"""Removes the folders of finished training runs except the newest, the checkpoints of those that
stay, and folders that belong to no known run.
"""

from __future__ import annotations

from collections.abc import Callable

from lull.core.training.record import OPEN_RUN_STATUSES
from lull.store.training.run_folders import RunFolders
from lull.store.training.training import Training


class RunFolderCleanup:
    """Removes the folders of training runs, except those of unfinished runs and of the newest
    finished ones.
    """

    def __init__(self, training: Training, folders: RunFolders, *, keep: Callable[[], int]) -> None:
        """Configure the removal; `keep` returns how many finished training runs keep their folder,
        without its checkpoints.
        """
        self._training = training
        self._folders = folders
        self._keep = keep

    def sweep(self) -> None:
        """Remove training run folders that belong to no known run."""
        self._folders.sweep(run.id for run in self._training.origins())

    def tidy(self) -> None:
        """Delete the folders of finished training runs except the newest, and delete the
        checkpoints in the folders that stay.
        """
        done = [run for run in self._training.runs() if run.status not in OPEN_RUN_STATUSES]
        for number, run in enumerate(done):
            if number >= self._keep():
                self._folders.remove(run.id)
            else:
                self._folders.delete_checkpoints(run.id)
