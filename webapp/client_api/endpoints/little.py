"""What the site does not have, answered so that clients go on: mostly with empty lists."""

from __future__ import annotations

from typing import Any

from flask import g

from webapp.client_api.declaration import ApiBlueprint
from webapp.client_api.entities.account import QUOTABLE_BY, visibility_name
from webapp.client_api.posting_defaults import posting_defaults
from webapp.client_api.presentation import shown_member

bp = ApiBlueprint("little")
EMPTY = {  # paths of lists that are always empty, and the scope of each
    "accounts/<id:uid>/endorsements": "",
    "accounts/<id:uid>/featured_tags": "",
    "accounts/<id:uid>/identity_proofs": "",
    "announcements": "",
    "custom_emojis": "",
    "domain_blocks": "read:blocks",
    "endorsements": "read:accounts",
    "featured_tags": "read:accounts",
    "instance/activity": "",
    "instance/domain_blocks": "",
    "instance/peers": "",
    "notifications/requests": "read:notifications",
}


def _declare_empty(path: str, scope: str) -> None:
    def empty(**member: int) -> list[Any]:
        for uid in member.values():
            shown_member(uid)
        return []

    empty.__name__ = path.replace("<id:uid>", "of").replace("/", "_")
    empty.__doc__ = "Return nothing: the site has none of these."
    bp.declare(f"GET /api/v1/{path}", scope, public=not scope)(empty)


for _path, _scope in EMPTY.items():
    _declare_empty(_path, _scope)


@bp.declare("GET /api/v1/preferences", "read:accounts")
def preferences() -> dict[str, Any]:
    """Return the defaults of posts that apps send, and of what apps expand."""
    defaults = posting_defaults(g.viewer)
    return {
        "posting:default:visibility": visibility_name(defaults.visibility.slug),
        "posting:default:quote_policy": QUOTABLE_BY[g.viewer.quote_policy],
        "posting:default:sensitive": defaults.sensitive,
        "posting:default:language": defaults.language or None,
        "reading:expand:media": "default",
        "reading:expand:spoilers": False,
        "reading:autoplay:gifs": False,
    }


@bp.declare("GET /api/v1/instance/translation_languages", "", public=True)
def translations() -> dict[str, Any]:
    """Return nothing: the site translates no posts."""
    return {}
