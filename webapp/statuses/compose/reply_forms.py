"""The form that answers a status."""

from typing import Final

from wtforms.fields.choices import SelectChoice

from webapp.statuses.status import Status
from webapp.statuses.values.visibility import Visibility, allowed_for_reply
from webapp.statuses.visibility.choices import VISIBILITY_LABELS

from .forms import PostForm

REPLY_MENTIONS_MAX: Final = 10  # logins that a reply begins with


def reply_form(status: Status, replier_login: str) -> PostForm:
    """Return a form to answer a status. It mentions the other members who are mentioned there.

    Its author gets the reply without a mention.
    """
    mentions = "".join(f"@{login} " for login in _logins_to_mention(status, replier_login))
    form = PostForm(
        formdata=None,
        data={"text": mentions, "reply": status.id, "visibility": status.visibility.slug},
    )
    form.in_closed_group = status.visibility is Visibility.GROUP
    form.visibility.choices = [
        SelectChoice(visibility.slug, VISIBILITY_LABELS.get(visibility))
        for visibility in allowed_for_reply(status.visibility)
    ]
    return form


def _logins_to_mention(status: Status, replier_login: str) -> list[str]:
    """Return logins as first written, each once, without those of the author and the replier."""
    by_lower: dict[str, str] = {}
    for login in (entity.text for entity in status.entities if entity.kind == "mention"):
        if login.lower() not in (status.author.login.lower(), replier_login.lower()):
            by_lower.setdefault(login.lower(), login)
    return list(by_lower.values())[:REPLY_MENTIONS_MAX]
