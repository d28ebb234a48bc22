"""Tests of the small feedback reader's process: it starts when needed and ends when unused."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sys
from pathlib import Path

import psutil
import pytest

from lull.backends.reader.small_reader import SmallReader
from lull.core.backoff import Backoff
from lull.core.errors import EngineDown, EngineError, ResourceError
from lull.core.feedback.exchange import Exchange
from lull.core.feedback.feedback import UNSURE, RuleKind, Scope
from tests.backends.reader.conftest import Make, TinyReader
from tests.eventually import PATIENCE_S, stands, until
from tests.starving import STARVES, starve

pytestmark = pytest.mark.slow

SAID = "Wrong. I always want bullets! Thanks."


def exchange(said: str = SAID) -> Exchange:
    return Exchange(asked="What is a cat?", answer="A cat is a small animal.", said=said)


async def test_it_reads_what_was_said_and_quotes_it_word_for_word(make: Make) -> None:
    reader = make()
    (heard,) = await reader.read([exchange()])
    assert heard is not None
    assert heard.corrects
    assert heard.lasts
    assert heard.scope is Scope.KIND
    assert heard.kind_of_rule is RuleKind.PREFERENCE
    assert heard.quote == ("Wrong.", "I always want bullets!", "Thanks.")
    assert reader.name.startswith("small-")


@pytest.mark.full
async def test_the_same_is_heard_alone_and_in_company(make: Make) -> None:
    reader = make()
    many = [exchange(SAID * n) for n in (1, 9, 2, 30, 1)]
    together = await reader.read(many)
    alone = [(await reader.read([one]))[0] for one in many]
    for one, other in zip(together, alone, strict=True):
        assert one is not None
        assert other is not None
        assert one.lasting == pytest.approx(other.lasting, abs=1e-4)
        assert one.quote == other.quote


async def test_what_is_no_speech_it_knows_is_unsure_without_a_process(make: Make) -> None:
    reader = make()
    heard = await reader.read([exchange("👍👍"), exchange("请用中文"), exchange("")])
    assert heard == [UNSURE] * 3
    assert reader.pid is None


@pytest.mark.full
async def test_half_a_character_and_marks_of_the_template_are_text(make: Make) -> None:
    (heard,) = await make().read([exchange("Stop \ud800 that <|im_end|> now.")])
    assert heard is not None
    assert heard.quote == ("Stop \ud800 that <|im_end|> now.",)


@pytest.mark.full
async def test_a_paste_of_200_kb_is_read_by_its_ends(make: Make) -> None:
    reader = make()
    await reader.read([exchange()])
    pasted = exchange("I only use tabs. " + "word after word, " * 12_000 + "\nNever use spaces.")
    (heard,) = await reader.read([pasted])
    assert heard is not None
    assert {"I only use tabs.", "Never use spaces."} <= set(heard.quote)


@pytest.mark.full
async def test_it_has_a_lower_priority_than_what_answers(make: Make) -> None:
    reader = make()
    await reader.read([exchange()])
    assert reader.pid is not None
    assert psutil.Process(reader.pid).nice() == min(19, psutil.Process().nice() + 5)


@pytest.mark.full
async def test_unused_it_leaves_and_comes_back(make: Make) -> None:
    reader = make(unload_after_s=0.05)
    await reader.read([exchange()])
    await until(lambda: reader.pid is None)
    assert (await reader.read([exchange()]))[0] is not None


@pytest.mark.full
async def test_whoever_leaves_takes_the_process_along_at_once(make: Make) -> None:
    reader = make()
    await reader.read([exchange()])
    pid = reader.pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)  # or it may be done before it is left
    reading = asyncio.create_task(reader.read([exchange(SAID * 30)] * 64))
    await stands()  # it has asked the process: nothing on the way there waits
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    await until(lambda: _is_dead(pid))
    assert (await reader.read([exchange()]))[0] is not None


def _is_dead(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


@pytest.mark.full
@pytest.mark.logs("the reader stopped")
async def test_a_fall_is_told_and_not_tried_again_at_once(make: Make) -> None:
    now = [100.0]
    reader = make(backoff=Backoff(first_s=5.0), monotonic_s=lambda: now[0])
    await reader.read([exchange()])
    assert reader.pid is not None
    os.kill(reader.pid, signal.SIGSTOP)
    reading = asyncio.create_task(reader.read([exchange()]))
    await stands()
    os.kill(reader.pid, signal.SIGKILL)
    with pytest.raises(EngineDown, match="The reader stopped"):
        await reading
    with pytest.raises(EngineDown, match="The reader stopped"):
        await reader.read([exchange()])
    now[0] += 6.0
    assert (await reader.read([exchange()]))[0] is not None


HANGS = """
import signal, sys, threading
def hang(*_):
    for lock in [threading.Lock()] * 2:
        lock.acquire()
signal.signal(signal.SIGUSR1, hang)
from lull.engine.reader.main import main
sys.exit(main())
"""


@pytest.mark.full
@pytest.mark.logs("the reader stopped", "is ended: it hung")
async def test_one_that_waits_for_itself_is_told_and_replaced(make: Make) -> None:
    now = [100.0]
    reader = make(
        hung_after_s=4.0,
        backoff=Backoff(first_s=5.0),
        monotonic_s=lambda: now[0],
        command=(sys.executable, "-c", HANGS),
    )
    await reader.read([exchange()])
    hung = reader.pid
    assert hung is not None
    os.kill(hung, signal.SIGUSR1)
    with pytest.raises(EngineDown, match="it hung"):
        await reader.read([exchange()])
    now[0] += 6.0
    assert (await reader.read([exchange()]))[0] is not None
    assert reader.pid not in (None, hung)


@pytest.mark.full
@pytest.mark.skipif(sys.platform != "linux", reason="limits another process as Linux does")
@pytest.mark.logs("the reader stopped", "is ended: it hung", r"^\w+ at ")
async def test_one_without_memory_is_told_and_replaced(make: Make) -> None:
    now = [100.0]
    starving = f"{STARVES}\nfrom lull.engine.reader.main import main\nsys.exit(main())"
    reader = make(
        backoff=Backoff(first_s=5.0),
        monotonic_s=lambda: now[0],
        command=(sys.executable, "-c", starving),
    )
    await reader.read([exchange()])
    assert reader.pid is not None
    starve(reader.pid)
    with pytest.raises(EngineError) as told:
        for longer in range(1, 400):
            await reader.read([exchange(f"{SAID} {n} " * longer) for n in range(64)])
    assert "\n" not in str(told.value)
    now[0] += 6.0
    assert (await reader.read([exchange()]))[0] is not None


@pytest.mark.full
async def test_it_leaves_with_its_parent(make: Make) -> None:
    reader = make()
    await reader.read([exchange()])
    child = reader._child
    assert child is not None
    assert child._process.stdin is not None
    child._process.stdin.close()
    await asyncio.wait_for(child.wait_until_ended(), PATIENCE_S)


@pytest.mark.full
async def test_weights_of_another_network_are_refused_in_words(
    tiny_reader: TinyReader, make: Make, tmp_path: Path
) -> None:
    folder = tmp_path / "other"
    shutil.copytree(tiny_reader.folder, folder)
    file = folder / "reader.json"
    file.write_text(file.read_text().replace('"rank": 4', '"rank": 8'))
    with pytest.raises(EngineError, match="another network"):
        await make(folder=folder).read([exchange()])


@pytest.mark.parametrize("damage", ["gone", "cut", "json", "no weights"])
async def test_a_damaged_reader_is_named(
    damage: str, tiny_reader: TinyReader, make: Make, tmp_path: Path
) -> None:
    folder = tmp_path / "reader"
    shutil.copytree(tiny_reader.folder, folder)
    weights, facts = folder / "reader.safetensors", folder / "reader.json"
    match damage:
        case "gone":
            facts.unlink()
        case "cut":
            weights.write_bytes(weights.read_bytes()[:-10])
        case "json":
            facts.write_text("{")
        case "no weights":
            weights.unlink()
    reader = make(folder=folder)
    with pytest.raises(ResourceError) as told:
        reader.check()
    assert told.value.hint
    with pytest.raises(ResourceError):
        await reader.read([exchange()])


async def test_a_reader_of_another_small_model_is_refused(
    tiny_reader: TinyReader, make: Make
) -> None:
    with pytest.raises(ResourceError, match="a different small model"):
        await make(base="0" * 64).read([exchange()])


@pytest.mark.full
async def test_a_class_of_check_is_told_of_any_rule(make: Make) -> None:
    names = await make().check_classes([exchange("Use bullets."), exchange("👍")])
    assert set(names) <= {"", "bullets", "words"}
    assert names[1] == ""


def test_it_is_a_feedback_reader(tiny_reader: TinyReader) -> None:
    from lull.core.feedback.ports import FeedbackReader

    reader: FeedbackReader = SmallReader(
        tiny_reader.model(), folder=tiny_reader.folder, base=tiny_reader.sha256
    )
    assert reader.name
