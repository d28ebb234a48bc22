"""Says what is wrong in a file of bench/reader/people: python bench/reader/check_people.py FILE…"""

import collections
import json
import pathlib
import sys

KEYS = {
    "asked",
    "answer",
    "said",
    "correction",
    "lasting",
    "scope",
    "quote",
    "kind_of_rule",
    "check",
    "trap",
}
CHECKS = set(
    "language words sentences paragraphs lines bullets no_bullets numbered_list starts_with ends_with contains "
    "not_contains lower_case upper_case no_sign json code_only no_emoji type_hints indent date_format time_format "
    "units no_closing_question no_apology no_preamble plain_text no_code_comments no_contractions quote_style".split()
)


def faults(item: dict) -> list[str]:
    wrong = []
    if set(item) != KEYS:
        return [f"keys are {sorted(item)}"]
    if item["correction"] not in (True, False, None):
        wrong.append("correction")
    if item["lasting"] not in (True, False) or item["trap"] not in (True, False):
        wrong.append("lasting or trap is no boolean")
    for key in ("asked", "answer", "said"):
        if not isinstance(item[key], str) or not item[key].strip():
            wrong.append(f"{key} is empty")
    if item["lasting"]:
        if item["scope"] not in ("all", "kind"):
            wrong.append("scope")
        if item["kind_of_rule"] not in ("preference", "fact"):
            wrong.append("kind_of_rule")
        if not item["quote"]:
            wrong.append("no quote")
        wrong += [f"quote is not in said: {q!r}" for q in item["quote"] if q not in item["said"]]
        if item["check"] is not None and item["check"] not in CHECKS:
            wrong.append(f"check {item['check']!r}")
    elif item["scope"] is not None or item["quote"] or item["kind_of_rule"] or item["check"]:
        wrong.append("not lasting, yet scope, quote, kind_of_rule or check is set")
    return wrong


for name in sys.argv[1:]:
    said = collections.Counter()
    items = []
    for n, line in enumerate(pathlib.Path(name).read_text(encoding="utf-8").splitlines(), 1):
        try:
            item = json.loads(line)
        except ValueError as error:
            print(f"{name}:{n}: {error}")
            continue
        for wrong in faults(item):
            print(f"{name}:{n}: {wrong}")
        items.append(item)
        said[item.get("said", "").strip().lower()] += 1
    for text, times in said.items():
        if times > 1:
            print(f"{name}: said {times} times: {text[:80]!r}")
    n = len(items) or 1
    part = lambda want: f"{sum(1 for i in items if want(i)) / n:.0%}"  # noqa: E731
    print(
        f"{name}: {len(items)} items; lasting {part(lambda i: i.get('lasting'))}, "
        f"correction {part(lambda i: i.get('correction'))}, arguable {part(lambda i: i.get('correction') is None)}, "
        f"traps {part(lambda i: i.get('trap'))}, all {part(lambda i: i.get('scope') == 'all')}, "
        f"kind {part(lambda i: i.get('scope') == 'kind')}, facts {part(lambda i: i.get('kind_of_rule') == 'fact')}, "
        f"check {part(lambda i: i.get('check'))}"
    )
