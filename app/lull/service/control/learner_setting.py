"""Reads and changes, in a running service, the setting that names the model to train."""

from __future__ import annotations

from lull.contract.json_object import Json
from lull.core.models.most_used_model import AutoChoice
from lull.loops.models.auto_learner import AutoLearner
from lull.service.control.settings_view import SettingsRequests
from lull.service.models.in_force import FollowSettings, SettingsInForce
from lull.service.models.models import KEY


class ServiceLearnerSetting:
    """The setting `training.model` of a running service; a change takes effect at once. Implements
    LearnerSetting.
    """

    def __init__(
        self,
        settings: SettingsRequests,
        *,
        in_force: SettingsInForce,
        following: FollowSettings,
        auto: AutoLearner,
    ) -> None:
        self._settings = settings
        self._in_force = in_force
        self._following = following
        self._auto = auto

    @property
    def model(self) -> str:
        return self._in_force().training.model

    @property
    def auto_choice(self) -> AutoChoice | None:
        return self._auto.choice if self._in_force.auto else None

    async def change(self, name: str) -> Json:
        said = await self._settings.handle({"key": KEY, "value": name})
        # The same name may have other weights now.
        await self._following.switch_learner()
        return said
