"""Builds the answers to `lull status` and `lull doctor` of a running service."""

from __future__ import annotations

import asyncio
import os
from datetime import timedelta

from lull import __version__
from lull.config.paths import Paths
from lull.contract.json_object import Json
from lull.core.errors import StoreError
from lull.core.skills.skill import SkillStatus
from lull.core.text.coded_text import coded_text, sentence
from lull.loops.idle.lull_why import LullWhy
from lull.resources import INSTALL_AGAIN
from lull.service.answers import checks
from lull.service.answers.checks import check, in_thread, run_check_in_thread, with_time_limit
from lull.service.backups.checks import check_backups
from lull.service.clients.connecting import ConnectParts
from lull.service.clients.drifted import check_clients, drifted_clients
from lull.service.idle import checks as lull_checks
from lull.service.process.listening import ListeningAt
from lull.service.wiring.base.own_models import BUILT_IN, BUILT_IN_PROBLEM, TOY
from lull.service.wiring.service import Service
from lull.service.wiring.together import open_secrets


class Status:
    """Builds the service's status and runs the checks of `lull doctor`."""

    def __init__(
        self, service: Service, paths: Paths, at: ListeningAt, clients: ConnectParts
    ) -> None:
        self._service = service
        self._shared = service.shared
        self._paths = paths
        self._at = at
        self._clients = clients

    async def status(self) -> Json:
        """Return the answer to `lull status`: address, models, counts, problems and more."""
        service, shared = self._service, self._shared
        library = service.skills.current.library
        active = sum(s.status is SkillStatus.ACTIVE for s in library.skills.values())
        conversations, turns = await asyncio.to_thread(shared.stores.trajectories.counts)
        trust = await asyncio.to_thread(self._trust)
        adapter, adapter_id = await asyncio.to_thread(service.slow_loop.adapters.control.in_force)
        if trust.pop("first_asked"):
            await shared.stores.rewards.save_rating_request(
                trust["question"], at=shared.clock.now()
            )
        return {
            "running": True,
            "enabled": service.settings.service.enabled,
            "address": self._at.address,
            "pid": os.getpid(),
            "version": __version__,
            "home": str(self._paths.home),
            "needs_token": bool(self._at.token),
            "upstream": {
                "kind": "builtin" if service.answering.upstream.never_reached else "ollama",
                "address": shared.models.ollama.address,
                "ok": shared.models.ollama.state.ok,
                "version": shared.models.ollama.state.version or None,
            },
            "built_in": await shared.models.built_in.readiness.state(),
            "policy": {
                "model": await asyncio.to_thread(self._model),
                "adapter": adapter,
                "adapter_id": adapter_id,
                "generation": library.generation,
            },
            "skills": {
                "active": active,
                "proposals": len(await asyncio.to_thread(service.learning.proofs.review.proposals)),
            },
            "conversations": conversations,
            "turns": turns,
            "newest_answer": await asyncio.to_thread(self._newest_answer),
            "in_flight": service.answering.data_plane.in_flight,
            "failed": self._failed(),
            "drifted": await asyncio.to_thread(self._drifted),
            "helpers": service.choices.exam_requests.roles(),
            "learning": (await self._why()).as_dict(),
            **trust,
            "trash": await asyncio.to_thread(service.upkeep.throwing_away.trash_totals),
            "problems": [*shared.problems.current(), *self._not_recording()],
        }

    async def _why(self) -> LullWhy:
        """Explain whether Lull may work, by the time of the user's last input as it is now."""
        watch = self._service.lulls.watch
        await watch.look_again()
        return await watch.why()

    def _newest_answer(self) -> Json | None:
        """The answer that was recorded last, for the user to rate."""
        found = self._shared.stores.trajectories.newest_answer()
        if found is None:
            return None
        turn, at, label = found
        return {"turn": turn, "at": at.isoformat(timespec="seconds"), "label": label}

    def _failed(self) -> list[Json]:
        """The newest chat requests that were answered with an error."""
        now, now_s = self._shared.clock.now(), self._shared.clock.monotonic_s()
        return [
            {
                "at": (now - timedelta(seconds=now_s - one.at_s)).isoformat(timespec="seconds"),
                "client": one.client,
                "path": one.path,
                "status": one.status,
                "why": one.why,
            }
            for one in self._service.answering.data_plane.failed.newest()
        ]

    def _drifted(self) -> list[Json]:
        """The chat clients that were connected to Lull and no longer point at it."""
        found = drifted_clients(self._clients, self._at.address)
        return [{"name": client.name, "title": client.title} for client in found]

    def _trust(self) -> Json:
        trust = self._service.views.trust
        question, first_asked = trust.question()
        return {
            "question": question,
            "first_asked": first_asked,
            "judge": trust.judge(),
            "sources": trust.sources(),
        }

    def _not_recording(self) -> list[dict[str, str]]:
        """A problem if recording fails, since answers continue without the store."""
        database = self._shared.stores.database
        if not database.failing:
            return []
        words = StoreError(
            f"{database.path} cannot be written: what is said now is not recorded.",
            hint="`lull doctor` says why.",
        )
        return [words.as_dict()]

    def _model(self) -> str:
        """The model last requested, else the newest in Ollama, else the built-in one."""
        rows, _ = self._shared.stores.trajectories.page(limit=1)
        if rows:
            return rows[0].model
        return next(iter(self._shared.models.ollama.state.models), BUILT_IN)

    async def doctor(self) -> Json:
        """Run all checks of `lull doctor` at once and return their results."""
        service, paths = self._service, self._paths
        stores, ollama = self._shared.stores, self._shared.models.ollama
        # All at once: together they take as long as the longest.
        looks = [
            run_check_in_thread("settings", lambda: checks.settings(paths.settings)),
            self._engine(),
            run_check_in_thread(
                "store", lambda: checks.store(stores.database, stores.trajectories)
            ),
            run_check_in_thread(
                "skills",
                lambda: checks.skills(
                    stores.skills.folders, service.skills.current.library, stores.skills.missing()
                ),
            ),
            run_check_in_thread("reader", self._reader),
            run_check_in_thread("trash", self._trash, serious=False),
            with_time_limit("memory", in_thread(self._memory)),
            run_check_in_thread("keychain", self._keychain, serious=False),
            run_check_in_thread("disk", lambda: checks.disk(paths.home)),
            with_time_limit("speed", in_thread(checks.speed)),
            with_time_limit("backups", in_thread(self._backups)),
            with_time_limit(
                "clients", in_thread(lambda: check_clients(self._clients, self._at.address))
            ),
        ]
        done, lulls = await asyncio.gather(asyncio.gather(*looks), self._lulls())
        settings, engine, store, skills, reader, trash, memory, *system = done
        looked = [
            check("service", ok=True, text=checks.runtime(os.getpid())),
            settings,
            self._address(),
            checks.ollama(
                ollama.address,
                ok=ollama.state.ok,
                version=ollama.state.version,
                models=len(ollama.state.models),
            ),
            *(engine, store, trash, skills, reader, memory),
            checks.exams(service.choices.exam_requests.roles()),
            checks.placing(service.learning.placing.results()),
            *lulls,
            *system,
        ]
        said = {one["text"] for one in looked}
        for problem in self._shared.problems.current():
            if problem["detail"] not in said:
                title, detail = sentence(problem["title"]), sentence(problem["detail"])
                text = coded_text("problem-is", "%1: %2", title, detail)
                looked.append(
                    check("problem", ok=False, text=text, hint=problem["hint"], serious=False)
                )
        return {"checks": looked}

    def _address(self) -> Json:
        address = self._at.address
        if not self._at.token:
            return check("address", ok=True, text=f"{address}, for this machine only.")
        return check("address", ok=True, text=f"{address}, for the network, with a token.")

    async def _engine(self) -> Json:
        if not self._shared.models.local.serves(TOY):
            problem = self._shared.problems.get(BUILT_IN_PROBLEM) or {}
            text = problem.get("detail", "The built-in model is missing.")
            return check("engine", ok=False, text=text, hint=problem.get("hint", INSTALL_AGAIN))
        return await checks.engine(self._shared.models.built_in.toy)

    async def _lulls(self) -> list[Json]:
        try:
            async with asyncio.timeout(checks.CHECK_WITHIN_S):
                return await self._lulls_looked_at()
        except TimeoutError:
            text = f"Idle detection did not answer within {checks.CHECK_WITHIN_S:g} s."
            return [check("lulls", ok=False, text=text, hint="`lull logs` may say why.")]

    async def _lulls_looked_at(self) -> list[Json]:
        lulls = self._service.lulls
        window = (await self._why()).window
        await lulls.calendars.load()
        return [
            lull_checks.idle_source(window),
            lull_checks.lulls(window, watching=lulls.watch.watching),
            lull_checks.calendars(lulls.calendars.feeds(), self._shared.clock.now()),
        ]

    def _backups(self) -> Json:
        backup = self._service.settings.backup
        return check_backups(self._paths.home, backup, self._shared.clock.now())

    def _reader(self) -> str:
        waiting = self._shared.stores.feedback.count_waiting()
        return checks.reader(self._service.learning.models.reader.check, waiting)

    def _trash(self) -> str:
        return checks.trash(self._paths.trash, self._service.upkeep.throwing_away.sweep.damaged())

    def _memory(self) -> Json:
        memory = self._service.skills.memory.exemplars
        if memory is None:
            return check("memory", ok=True, text="The memory of past requests is not ready yet.")
        return check("memory", ok=True, text=_credited(memory.count()))

    def _keychain(self) -> str:
        return checks.keychain(*open_secrets(self._service.settings, self._paths))


def _credited(number: int) -> str:
    if number == 1:
        return "1 past request that skills helped with."
    return f"{number} past requests that skills helped with."
