"""The second factor that the operator may require of moderators and admins (`REQUIRE_FACTORS`).

A factor that the account has is not enough: the session must have begun with it, or have set up the
account's first. Otherwise a session that somebody opened earlier with the password alone would do.
"""

from __future__ import annotations

from collections.abc import Sequence

from flask import flash, g, redirect, request, url_for

from webapp.accounts import keys as account_keys
from webapp.accounts.passkeys.keys import passkeys
from webapp.accounts.sessions.password_proof import current_session
from webapp.core.errors import Forbidden
from webapp.core.errors.sentences import SENTENCES
from webapp.core.store import Read
from webapp.core.web import SAFE_METHODS, Response, config, db
from webapp.core.web.request_log import note_operator

NEEDED, UNUSED = "factor_needed", "factor_unused"


def missing_factor(uid: int, session_sha: str) -> Read[str]:
    """Read why a session lacks a factor: NEEDED if its account has none, UNUSED, or ""."""
    commands = (
        ("HEXISTS", account_keys.user(uid), "second_step"),
        ("EXISTS", passkeys(uid)),
        ("HEXISTS", account_keys.session(uid, session_sha), "factor"),
    )

    def parse(replies: Sequence[int]) -> str:
        has_app, has_passkey, is_used = replies
        if not has_app and not has_passkey:
            return NEEDED
        return "" if is_used else UNUSED

    return Read(commands, parse)


def viewer_lacks() -> str:
    """Return why the viewer's session lacks a factor, as `missing_factor` does. One trip."""
    return db().read(missing_factor(g.viewer.uid, current_session()))


def require_factor() -> Response | None:
    """Lead a viewer without a second factor to the page that sets one up, and say why.

    For pages of moderators and admins, before each request, whose line in the log says who asks.
    One trip where a factor is required. Raises Forbidden for forms.
    """
    if g.viewer:
        note_operator(g.viewer.login)
    if not g.viewer or not config().require_factors or not (code := viewer_lacks()):
        return None
    if request.method not in SAFE_METHODS:
        raise Forbidden(code)
    flash(str(SENTENCES[code]), "error")
    return redirect(url_for("second_step.index"), 303)


def require_moderator() -> Response | None:
    """Raise Forbidden for members without a role. Visitors are asked to log in before.

    For the pages of moderators, before each request. Lead on as `require_factor` does.
    """
    if not request.endpoint:  # the page is switched off
        return None
    if g.viewer and not g.viewer.is_moderator:
        raise Forbidden("not_moderator")
    return require_factor()


def guard_factors() -> None:
    """Raise Forbidden if a moderator or admin changes factors in a session that has used none.

    Otherwise such a session could add a factor of its own. For accounts without one, nothing is
    refused. One trip where a factor is required.
    """
    if request.method in SAFE_METHODS or not g.viewer or not g.viewer.is_moderator:
        return
    if config().require_factors and viewer_lacks() == UNUSED:
        raise Forbidden(UNUSED)
