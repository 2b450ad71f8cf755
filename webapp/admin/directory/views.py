"""All members at /admin/members, for admins and moderators."""

from collections.abc import Sequence

from flask import Blueprint, g, render_template, request, url_for

from webapp.accounts.factors.requirement import require_moderator
from webapp.accounts.viewer import ADMIN_RIGHT
from webapp.core.web import config, cursor, db, no_store, prefetch

from . import store

bp = Blueprint("directory", __name__)
bp.before_request(require_moderator)
bp.after_request(no_store)


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
