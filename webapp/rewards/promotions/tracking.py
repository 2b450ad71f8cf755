"""Count views, clicks and actions by the requests that bring them.

The commands go with the batch of view counts, so no request takes a trip more. A process that is
killed loses those of three seconds.
"""

from collections.abc import Callable, Iterable
from functools import partial

from flask import Response, g, request

from webapp.core.store import Command
from webapp.core.web import config, db, unwrap
from webapp.statuses.view_counts.viewers import current_batch

from .index import index_of
from .reports import counting, view_of

REPORTED_MAX = 10  # promoted posts of one report


def track(response: Response) -> Response:
    """Note what a request of a member says about a promoted post."""
    find = COMMANDS.get(unwrap(request).endpoint or "")
    viewer = unwrap(g).get("viewer") if find else None
    if find and viewer and response.status_code < 400:
        for command in find(viewer.uid):
            current_batch().add_command(command)
    return response


def _views(uid: int) -> Iterable[Command | None]:
    showings = request.form.get("showings", "").split(",")[:REPORTED_MAX]
    return (view_of(config(), uid, showing) for showing in showings if showing)


def _follow(uid: int) -> Iterable[Command]:
    login = (request.view_args or {}).get("login", "").lower()
    ads = index_of(db()).ranking.ads.values()
    return [counting(config(), uid, ad.id, "actions") for ad in ads if ad.login.lower() == login]


def _of_post(what: str, uid: int) -> Iterable[Command]:
    status_id = (request.view_args or {}).get("status_id", 0)
    if status_id not in index_of(db()).ranking.ads:
        return ()
    return (counting(config(), uid, status_id, what),)


COMMANDS: dict[str, Callable[[int], Iterable[Command | None]]] = {
    "view_counts.report": _views,
    "statuses.show": partial(_of_post, "clicks"),
    "interactions.like": partial(_of_post, "actions"),
    "following.follow": _follow,
}
