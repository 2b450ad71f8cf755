"""Endpoints for features that the site lacks. Most answer an empty list, so that clients work."""

from __future__ import annotations

from typing import Any

from flask import g

from webapp.client_api.declaration import ApiBlueprint
from webapp.client_api.entities.account import QUOTABLE_BY, visibility_name
from webapp.client_api.posting_defaults import posting_defaults
from webapp.client_api.presentation import shown_member

bp = ApiBlueprint("little")
ANSWERS: dict[str, tuple[str, Any]] = {  # by route: the scope, and what is always answered
    "GET accounts/<id:uid>/identity_proofs": ("", []),
    "GET custom_emojis": ("", []),
    "DELETE domain_blocks": ("write:blocks", {}),
    "GET domain_blocks": ("read:blocks", []),
    "GET instance/activity": ("", []),
    "GET instance/domain_blocks": ("", []),
    "GET instance/peers": ("", []),
    "GET instance/translation_languages": ("", {}),
    "GET notifications/requests": ("read:notifications", []),
    "GET notifications/requests/merged": ("read:notifications", {"merged": True}),
    "POST domain_blocks": ("write:blocks", {}),
    "POST emails/confirmations": ("write:accounts", {}),
    "POST notifications/requests/accept": ("write:notifications", {}),
    "POST notifications/requests/dismiss": ("write:notifications", {}),
}
TO_NAME = str.maketrans(" /", "__")


def _declare(route: str, scope: str, answer: Any) -> None:
    def answered(**member: int) -> Any:
        for uid in member.values():
            shown_member(uid)
        return answer

    method, _, path = route.partition(" ")
    answered.__name__ = route.lower().replace("<id:uid>", "of").translate(TO_NAME)
    answered.__doc__ = "Answer with little: the site has none of these."
    bp.declare(f"{method} /api/v1/{path}", scope, public=not scope)(answered)


for _route, (_scope, _answer) in ANSWERS.items():
    _declare(_route, _scope, _answer)


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
