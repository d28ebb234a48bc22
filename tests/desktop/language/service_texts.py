"""Finds the texts of the service that the window shows to people.

These are texts with a code, the settings, and the sentences of errors, of the doctor and of what
cannot be measured.
"""

from __future__ import annotations

import ast
import itertools
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from lull.config.files import describe_settings
from lull.config.settings import Settings
from lull.core.feedback.environment_faults import CAUSES
from lull.core.feedback.signals import fault_signal
from lull.desktop.language.recognising import introduces
from lull.desktop.shared.setting_names import GROUPS, NAMES
from tests.desktop.language.check_texts import FILE as FILE_OF_CHECKS
from tests.desktop.language.check_texts import texts_of_checks
from tests.desktop.language.source import Form, Index, Source

APP = Path(__file__).parents[3] / "app"
NOT_THE_SERVICES = ("cli", "desktop", "pocket")
SAY = {
    "check": ("text", "hint"),
    "NothingToDo": ("text",),
    "SamplingStep": ("text",),
    "MakingStep": ("text",),
    "JudgingStep": ("text",),
    "AutoChoice": ("why",),
    "Unknown": ("why",),
    "RunRefused": ("would_fit",),
    "RunFailed": ("title", "detail", "hint"),
    "Run": ("why",),
    "with_status": ("why",),
    "SkillChoice": ("why",),
    "Selection": ("why",),
}
"""Calls that say something in these arguments, besides those of errors."""
FORMS = {"ChatProgram": ("title", "note", "by_hand"), "replace": ("by_hand",)}
"""Calls that say something in these arguments, with fields that `str.format` fills."""
TO_PROGRAMS = ("service/proxy/dialects", "service/proxy/long/child.py", "contract/")
"""Files whose texts are for chat clients or Lull's own processes, in their protocols' words."""
REASONS = (
    "core/adapters/gate.py",
    "core/feedback/calibration.py",
    "core/models/admission.py",
    "core/models/candidates.py",
    "core/models/learnable.py",
    "core/models/most_used_model.py",
    "core/proof/placing.py",
    "core/proof/proof.py",
    "core/proof/rechecking.py",
    "core/provenance/screening.py",
    "core/training/eligibility.py",
    "core/training/lesson.py",
    "core/training/record.py",
    "loops/adapters/promote.py",
    "loops/models/choose_model.py",
    "loops/models/examine_models.py",
    "loops/proof/holdout.py",
    "core/proof/outcome.py",
    "loops/skills/from_files.py",
    "loops/skills/propose.py",
    "loops/training/decide_step.py",
    "loops/training/make_run.py",
    "loops/training/train.py",
    "loops/training/training_data.py",
    "loops/training/training_job.py",
    "service/adapters/control.py",
    "service/answers/checks.py",
    "service/control/status.py",
    "service/idle/checks.py",
    "service/backups/backups.py",
    "service/models/exams.py",
    "service/proof/verifying.py",
    "service/proxy/ollama_upstream.py",
    "service/training/served_learner.py",
)
"""Files in which every text of several words is a reason that people read."""
BEGIN: dict[str, tuple[str, ...]] = {
    "backends/idle/": ("the ",),
    "backends/machine/": ("the ",),
    "core/checks/wording.py": ("The rest of the rule",),
    "core/provenance/risky_text.py": ("It ",),
    "core/feedback/signals.py": ("The answer ",),
    "core/feedback/tool_results.py": ("The tool ", "It ended "),
    "core/skills/skill_ranking.py": ("left out ",),
    "loops/chat/record_turn.py": ("The upstream ",),
    "loops/proof/count_pairs.py": ("none of its requests",),
    "service/proxy/opened_chats.py": ("the window ", "the body ", "Lull failed "),
}
"""Files and folders in which only the texts that begin so are shown: reasons, and names of what is
asked for signals. The others are patterns.
"""
NOT_FOR_PEOPLE = re.compile(
    r"[\n\\]|=(?! %)|\(\?|PRAGMA|"
    r"^(the decision|the rule|the evidence|same words|last look|a check)$|"
    r"^(?:[a-z]+|adapter of) %1$|idle source|share$"
)
"""Texts in these files that are not for people: names, patterns and database queries."""
MOST_PLACES = 9
OF_THE_SYSTEM = (
    "Permission denied",
    "Operation not permitted",
    "No such file or directory",
    "File exists",
    "Is a directory",
    "Not a directory",
    "Directory not empty",
    "No space left on device",
    "Disk quota exceeded",
    "Disc quota exceeded",
    "File too large",
    "File name too long",
    "Read-only file system",
    "Input/output error",
    "Too many open files",
    "Too many levels of symbolic links",
    "Device or resource busy",
    "Resource busy",
    "Invalid argument",
    "Cannot allocate memory",
    "Text file busy",
    "Exec format error",
    "Broken pipe",
    "Connection refused",
    "Connection reset by peer",
    "Connection timed out",
    "Operation timed out",
    "Network is unreachable",
    "No route to host",
    "Address already in use",
    "Cannot assign requested address",
    "Can't assign requested address",
)
"""What Linux and macOS call the faults that errors of Lull pass on (`OSError.strerror`)."""

FORMER = {
    "Measuring what %1 does": "lull/loops/proof/proof_work.py",
    "Testing whether %1 is good enough to be the reader": "lull/loops/models/exam_work.py",
    "Testing whether %1 is good enough to be the judge": "lull/loops/models/exam_work.py",
    "Testing whether %1 is good enough to be the writer": "lull/loops/models/exam_work.py",
    "only you can tell: compare %1 answers, it takes a minute (`lull "
    "review compare %2`)": "lull/core/proof/outcome.py",
    "; in a second round %1 lost and %2 won of %3": "lull/core/adapters/gate.py",
    ", which does not rule out that it is worse by %1 points": "lull/core/adapters/gate.py",
    "%1; the final draw%2 went against it": "lull/core/proof/proof.py",
    ", accepted by the final draw%1": "lull/core/proof/proof.py",
    "it may spoil good answers": "lull/core/proof/proof.py",
    "too few past successes were replayed": "lull/core/proof/proof.py",
    "on %1 it is %2 nats per token away from the original model (KL "
    "divergence); at most %3 is allowed": "lull/core/adapters/gate.py",
    "answers have %1 characters, before %2": "lull/core/adapters/gate.py",
    "%1 of an answer is repetition, before %2": "lull/core/adapters/gate.py",
    "%1 of answers are refusals, before %2": "lull/core/adapters/gate.py",
    "it may make answers worse that were good before": "lull/core/proof/proof.py",
    "%1: %2 lost and %3 won of %4 canaries": "lull/core/adapters/gate.py",
    "; then %1 lost and %2 won of %3 sampled": "lull/core/adapters/gate.py",
    "%1 won and %2 lost of %3 pairs on %4 held-out requests": "lull/core/adapters/gate.py",
    "%1 nats a token from the base on %2; at most %3 are allowed": "lull/core/adapters/gate.py",
    "no secret came out in %1 answers": "lull/core/adapters/gate.py",
    ", which does not show that it is not worse by %1 points": "lull/core/adapters/gate.py",
    "there were no %1 to measure the distance from the base on": "lull/core/adapters/gate.py",
    "an answer has %1 characters, it had %2": "lull/core/adapters/gate.py",
    "%1 of an answer repeats itself, it was %2": "lull/core/adapters/gate.py",
    "%1 of answers refuse, it was %2": "lull/core/adapters/gate.py",
    "nobody has listened for secrets": "lull/core/adapters/gate.py",
    "no canary was answered": "lull/core/adapters/gate.py",
    "%1; the last look%2 went against it": "lull/core/proof/proof.py",
    ", accepted by the last look%1": "lull/core/proof/proof.py",
    "%1 past successes held": "lull/core/proof/proof.py",
    "it may spoil past successes": "lull/core/proof/proof.py",
    "the gate accepted it": "lull/loops/adapters/promote.py",
    "its day on trial has passed without harm": "lull/loops/adapters/promote.py",
}
"""What earlier versions said and stored, so that it still comes, with the files that said it."""


@dataclass(slots=True)
class ServiceTexts:
    """The texts that the service says to people."""

    coded: dict[str, str] = field(default_factory=dict)
    sentences: dict[str, set[str]] = field(default_factory=dict)
    numbers: dict[str, frozenset[str]] = field(default_factory=dict)
    """The places of sentences in which the source writes a number."""
    checks: dict[str, set[str]] = field(default_factory=dict)
    """Pieces of the sentences about checks of answers."""
    unseen: list[str] = field(default_factory=list)
    """Texts with a code whose wording cannot be told from the source, and texts of errors that the
    window could not recognise.
    """


def of_service() -> ServiceTexts:
    found = ServiceTexts()
    index = Index()
    sources = [
        Source(path, APP, index)
        for path in sorted((APP / "lull").rglob("*.py"))
        if path.relative_to(APP).parts[1] not in NOT_THE_SERVICES
        and not path.relative_to(APP / "lull").as_posix().startswith(TO_PROGRAMS)
    ]
    errors = error_classes(sources)
    for source in sources:
        source.walk(lambda at, name, call: _call(found, errors, at, name, call))
        for text in _reasons(source):
            _sentence(found, text, source.file)
        for node in source.classes:
            if node.name in errors:
                for title in _titles(node):
                    found.sentences.setdefault(title, set()).add(source.file)
    _settings(found)
    _made_of_data(found)
    found.checks.update({text: {FILE_OF_CHECKS} for text in texts_of_checks()})
    return found


def _reasons(source: Source) -> Iterator[str]:
    """Yield the texts of a file that are reasons by themselves, whatever they are passed to."""
    file = source.file.removeprefix("lull/")
    if file in REASONS:
        yield from (
            _without_forms(text) for text in source.written() if not NOT_FOR_PEOPLE.search(text)
        )
    begin = tuple(
        word for place, words in BEGIN.items() if file.startswith(place) for word in words
    )
    if begin:
        yield from (text for text in source.written() if text.startswith(begin))


def _made_of_data(found: ServiceTexts) -> None:
    """Add the sentences that the source puts together from tables, resources and the system."""
    for family in _families():
        found.coded[f"family {family}"] = family
        said = [f"it got worse at {family}"]
        # A single word may be anybody's.
        said += [family] if " " in family else []
        for text in said:
            _sentence(found, text, "lull/core/training/lesson.py")
    for text, file in FORMER.items():
        _sentence(found, text, file)
    for text in OF_THE_SYSTEM:
        _sentence(found, text, "lull/core/errors.py")
    for cause, _ in CAUSES:
        _sentence(found, fault_signal(cause).text, "lull/core/feedback/signals.py")


def error_classes(sources: list[Source]) -> set[str]:
    """The names of all classes of errors that people see."""
    bases = {
        node.name: {getattr(base, "id", "") for base in node.bases}
        for source in sources
        for node in source.classes
    }
    found = {"LullError"}
    while more := {name for name, of in bases.items() if of & found} - found:
        found |= more
    return found


def _call(found: ServiceTexts, errors: set[str], at: Source, name: str, call: ast.Call) -> None:
    if name == "coded_text" and len(call.args) > 1:
        for code in at.texts(call.args[0]):
            texts = set(at.nearest(call.args[1]))
            if len(texts) != 1 or found.coded.setdefault(code, *texts) not in texts:
                found.unseen.append(f"{at.file}:{call.lineno}: {ast.unparse(call)}")
    elif name in FORMS:
        said = [one.value for one in call.keywords if one.arg in FORMS[name]]
        for text in (text for one in said for text in at.texts(one)):
            _sentence(found, _without_forms(text), at.file)
    elif name in errors or name in SAY:
        named = SAY.get(name, ("detail", "hint"))
        said = [one.value for one in call.keywords if one.arg in named]
        said += call.args[:1] if name in errors or name == "Unknown" else []
        for one in said:
            for text in at.texts(one):
                if not _sentence(found, text, text.file) and re.search(r"[A-Za-z]|%\d\.$", text):
                    found.unseen.append(f"{at.file}:{call.lineno}: {text} is hardly recognised")
            for text in at.inserted(one):
                if " " in text:  # a single word is a name
                    _sentence(found, text, text.file)


def _sentence(found: ServiceTexts, text: str, file: str) -> bool:
    """Add a sentence, unless it has too few words of its own to be recognised."""
    places = len(re.findall(r"%\d", text))
    words = re.findall(r"[A-Za-z]{2,}", re.sub(r"%\d", " ", text))
    if places <= MOST_PLACES and (len(words) >= (2 if places else 1) or introduces(text)):
        found.sentences.setdefault(text, set()).add(file)
        if isinstance(text, Form) and text.numbers:
            found.numbers[text] = text.numbers
        return True
    return False


def _without_forms(text: str) -> str:
    """Return a text with places for the fields that `str.format` fills."""
    if "{" not in text:
        return text
    numbers = itertools.count(1)
    return re.sub(r"\{[^}]*\}", lambda _: f"%{next(numbers)}", text)


def _titles(error: ast.ClassDef) -> Iterator[str]:
    for step in error.body:
        target = step.targets[0] if isinstance(step, ast.Assign) else None
        target = step.target if isinstance(step, ast.AnnAssign) else target
        if getattr(target, "id", "") == "title":
            value = step.value  # type: ignore[attr-defined]
            if isinstance(value, ast.Constant):
                yield str(value.value)


def _families() -> list[str]:
    """Return the names of the abilities that a trained model must not lose, from their files."""
    files = sorted((APP.parent / "resources" / "probes").glob("*.json"))
    return [str(json.loads(file.read_text("utf-8"))["family"]) for file in files]


def _settings(found: ServiceTexts) -> None:
    file = "lull/config/settings.py"
    for item in describe_settings(Settings()):
        group = item.key.split(".")[0]
        found.coded[f"settings {group}"] = GROUPS[group]
        found.coded[f"setting {item.key}"] = NAMES[item.key]
        for text in (item.reason, *_allowed(item.allowed)):
            found.sentences.setdefault(text, set()).add(file)
            if text.startswith("a number from"):
                found.numbers[text] = frozenset({"1", "2"})


def _allowed(text: str) -> Iterator[str]:
    """Yield the wordings of what a setting allows, without numbers and names."""
    each = "a list in which each entry is "
    if text.startswith(each):
        yield f"{each}%1"
        yield text.removeprefix(each)
    elif text.startswith("one of "):
        yield "one of %1"
    elif found := re.fullmatch(r"(a (?:whole )?number) from \S+ to \S+", text):
        yield f"{found[1]} from %1 to %2"
    else:
        yield text
