"""The fields of a kind of notification, and the choices that members have."""

from dataclasses import dataclass
from typing import Any

from flask_babel import lazy_gettext as _l
from flask_babel.speaklater import LazyString

EVERYONE, FOLLOWED, NOBODY = "everyone", "followed", "nobody"
# Devices get kinds that may need an answer within seconds, and the rest a few times an hour.
PROMPT, GATHERED = "prompt", "gathered"
CHOICES = {
    EVERYONE: _l("Everyone"),
    FOLLOWED: _l("People I follow"),
    NOBODY: _l("No one"),
}


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of notification.

    `name` is how it is stored, `icon` a name in the sprite, `tab` where the list shows it.
    `sentence` says what %(who)s did, `anonymous` the same without a name, for a locked screen;
    `label` names it in the preferences. `about_own_status`: it is about a status of the recipient,
    not of the actor. `notifies_actor`: the actor is notified too. `about_own`: it is about a
    "draft", "webhook", "act", "report", "session", "item", "promotion", "membership" or "day" of
    the recipient, and names nobody else. `lane`: how soon devices get it. `about_group`: it is
    about a group of members. `client_type`: its name in Mastodon's API, "" if apps do not get it.
    `path`: the page that it opens on devices, if that is not its subject. `feature`: the optional
    system that it belongs to.
    """

    name: str
    icon: str
    tab: str
    sentence: LazyString
    label: LazyString
    anonymous: LazyString
    about_own_status: bool = False
    notifies_actor: bool = False
    about_own: str = ""
    about_group: bool = False
    lane: str = PROMPT
    client_type: str = ""
    path: str = ""
    feature: str = ""


def own(
    name: str, icon: str, about: str, sentence: LazyString, label: LazyString, **more: Any
) -> Kind:
    """Return a kind about something of the recipient, which names nobody else."""
    return Kind(
        *(name, icon, "all", sentence, label, sentence),
        notifies_actor=True,
        about_own=about,
        about_group=about == "membership",
        **more,
    )
