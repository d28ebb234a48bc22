"""`lull adapters`: lists LoRA adapters, puts one into use or rolls back to an earlier one.

Reading works without a running service; changes need one, because the service runs the engine that
answers with the adapters.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lull.cli.shared.context import Context, plain, short_time, table
from lull.cli.shared.control import Control
from lull.contract import routes
from lull.contract.json_object import Json
from lull.core.errors import NotFound, NotRunning

if TYPE_CHECKING:
    from lull.store.adapters.adapters import Adapters

PATIENCE_S = 600.0
"""Timeout in seconds of a promotion or rollback, which may have to load a large model."""


def adapters(context: Context) -> None:
    """Run `lull adapters`: list, compare, promote and roll back trained LoRA adapters."""
    options = context.options
    match options.action or "list":
        case "list":
            context.print_result(_listed(context), _list_words)
        case "show":
            shown = _read(
                context,
                routes.ADAPTER.format(id=_in_path(options.adapter)),
                {},
                lambda views, store: views.shown_view(store, options.adapter),
            )
            context.print_result(shown, _show_words)
        case "compare":
            compared = _read(
                context,
                routes.ADAPTERS_COMPARE,
                {"a": options.a, "b": options.b},
                lambda views, store: views.compared_view(store, options.a, options.b),
            )
            context.print_result(compared, _compare_words)
        case "promote":
            wanted = {"adapter": options.adapter, "anyway": options.anyway}
            done = Control(context.paths).post(
                routes.ADAPTERS_PROMOTE, wanted, patience_s=PATIENCE_S
            )
            context.print_result(done, lambda said: f"{said['active']} is in use.")
        case "rollback":
            wanted = {"to": options.to} if options.to else {}
            done = Control(context.paths).post(
                routes.ADAPTERS_ROLLBACK, wanted, patience_s=PATIENCE_S
            )
            context.print_result(done, lambda said: f"{said['active'] or 'The base'} is in use.")


def _in_path(adapter: str) -> str:
    """Return the adapter's id after checking that it cannot change the path of the request it is
    put into. Raises NotFound.
    """
    if not adapter.replace("_", "").replace("-", "").isalnum():
        raise NotFound(
            f"There is no adapter {adapter[:80]}.", hint="`lull adapters list` lists them."
        )
    return adapter


def _listed(context: Context) -> Json:
    try:
        return Control(context.paths).get(routes.ADAPTERS)
    except NotRunning:
        if not context.paths.database.exists():
            return {"model": None, "active": None, "shadow": None, "adapters": []}
    return _look(context, lambda views, store: views.listed_view(store, None))


def _read(context: Context, route: str, query: Json, look: Callable[[Any, Adapters], Json]) -> Json:
    try:
        return Control(context.paths).get(route, **query)
    except NotRunning:
        return _look(context, look)


def _look(context: Context, look: Callable[[Any, Adapters], Json]) -> Json:
    from lull.service.adapters import views as adapter_views
    from lull.store.adapters.adapters import Adapters

    with context.open_stores() as stores:
        return look(adapter_views, Adapters(stores.database))


# For people


def _list_words(said: Json) -> str:
    if not said["adapters"]:
        return "Nothing was trained yet. `lull why` says when there will be."
    rows = [
        (one["id"], one["base"], one["status"], short_time(one["made"]), _because(one))
        for one in said["adapters"]
    ]
    return table(rows, ("ID", "MODEL", "STATUS", "MADE", ""))


def _because(one: Json) -> str:
    return str(one["reasons"][0]) if one["accepted"] is False and one["reasons"] else ""


def _show_words(said: Json) -> str:
    lines = [
        f"{said['id']} of {said['base']}: {said['status']}",
        f"made {short_time(said['made'])}, sha256 {said['sha256'][:16]}…",
    ]
    if len(said["line"]) > 1:
        lines.append(f"trained on {said['line'][1]}")
    if said["learned"]:
        lines.append("learned " + ", ".join(one["name"] for one in said["learned"]))
    verdict = said["verdict"]
    if verdict is None:
        lines.append("The gate has not spoken yet.")
    else:
        word = "accepted" if verdict["accepted"] else "turned down"
        lines.append(f"The gate has {word} it:")
        lines += [f"  {_mark(check)} {check['text']}" for check in verdict["checks"]]
    lines += [f"{short_time(move['at'])} {move['move']}: {move['why']}" for move in said["moves"]]
    return plain("\n".join(lines))


def _compare_words(said: Json) -> str:
    head = ("", said["a"]["id"], said["b"]["id"])
    rows = [
        (one["name"], *(_mark(one[side]) if one[side] else "-" for side in ("a", "b")))
        for one in said["checks"]
    ]
    rows.insert(0, ("status", said["a"]["status"], said["b"]["status"]))
    return table(rows, head)


def _mark(check: Json) -> str:
    return "ok  " if check["holds"] else "no  "
