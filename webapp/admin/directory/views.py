"""All members at /admin/members, for admins and moderators."""

from collections.abc import Sequence

from flask import Blueprint, g, render_template, request, url_for

from webapp.accounts.factors.requirement import require_factor
from webapp.accounts.viewer import ADMIN_RIGHT
from webapp.core.errors import Forbidden
from webapp.core.web import Response, config, cursor, db, no_store, prefetch

from . import store

bp = Blueprint("directory", __name__)
bp.after_request(no_store)


@bp.before_request
def require_rank() -> Response | None:
    """Raise Forbidden for members without a role. Visitors are asked to log in before."""
    if g.viewer and not g.viewer.is_moderator:
        raise Forbidden("not_moderator")
    return require_factor()


@bp.get("/admin/members")
@prefetch(lambda _requester: store.candidates(_typed(), cursor()))
def index(uids: Sequence[int]) -> str:
    """Show members, the newest first, or those that a name may mean."""
    role, state = _choice("role", store.ROLES), _choice("state", store.STATES)
    wanted = {"q": _typed(), "role": role, "state": state}
    return render_template(
        "admin/members.html",
        page=store.page_of(db(), uids, role, state, config().page_size),
        wanted=wanted,
        shows_last_seen=ADMIN_RIGHT in g.viewer.rights,
        address=url_for(
            "directory.index", q=_typed() or None, role=role or None, state=state or None
        ),
    )


def _typed() -> str:
    return request.args.get("q", "").strip().removeprefix("@")


def _choice(name: str, choices: Sequence[str]) -> str:
    chosen = request.args.get(name, "")
    return chosen if chosen in choices else ""
