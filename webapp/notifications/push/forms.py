"""The forms of a member's preferences, and of notifications on devices."""

from __future__ import annotations

from collections.abc import Mapping

from flask_babel import lazy_gettext as _l
from wtforms import BooleanField, HiddenField, RadioField, SelectField
from wtforms.fields.choices import SelectChoice

from webapp.core.forms.fields import Form
from webapp.core.net.web_push import Subscription
from webapp.notifications.kinds import CHOICES, KINDS

from .devices import PushPreferences


class PreferencesForm(Form):
    """From whom to get notifications: a field for each kind that others cause, by its name."""

    @property
    def sources(self) -> dict[str, str]:
        """Return the chosen source of each of these kinds."""
        return {kind: self[kind].data for kind in KINDS if kind in self}


for _kind in (kind for kind in KINDS.values() if not kind.about_own):
    _choices = [SelectChoice(value, label) for value, label in CHOICES.items()]
    setattr(PreferencesForm, _kind.name, SelectField(_kind.label, choices=_choices))


HIDDEN, SHOWN = "hidden", "shown"


class SettingsForm(PreferencesForm):
    """All preferences about notifications: their sources, and what a member's devices get.

    It has a box for each kind, and whether devices show the content.
    """

    content = RadioField(
        _l("What notifications show"),
        choices=[
            SelectChoice(HIDDEN, _l("Only say that something happened")),
            SelectChoice(SHOWN, _l("Show who it was and what it says")),
        ],
        default=HIDDEN,
    )

    @classmethod
    def from_preferences(cls, sources: Mapping[str, str], push: PushPreferences) -> SettingsForm:
        """Return the form as the member left it."""
        content = SHOWN if push.shows_content else HIDDEN
        kinds = {kind_field(kind): kind in push.kinds for kind in KINDS}
        return cls(formdata=None, data={"content": content, **kinds, **sources})

    @property
    def push(self) -> PushPreferences:
        """Return the preferences for the member's devices."""
        chosen = frozenset(kind for kind in KINDS if self[kind_field(kind)].data)
        return PushPreferences(chosen, self.content.data == SHOWN)


def kind_field(kind: str) -> str:
    """Return the name of a kind's box. Its source is named `kind`."""
    return f"push_{kind}"


for _kind in KINDS.values():
    setattr(SettingsForm, kind_field(_kind.name), BooleanField(_kind.label))


class SubscriptionForm(Form):
    """A browser's subscription. A script fills it in."""

    endpoint = HiddenField()
    p256dh = HiddenField()
    auth = HiddenField()

    @property
    def subscription(self) -> Subscription:
        """Return the subscription, which nobody has checked."""
        return Subscription(self.endpoint.data or "", self.p256dh.data or "", self.auth.data or "")
