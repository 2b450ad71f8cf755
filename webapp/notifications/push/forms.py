"""The forms of notifications on devices."""

from __future__ import annotations

from flask_babel import lazy_gettext as _l
from wtforms import BooleanField, HiddenField, RadioField
from wtforms.fields.choices import SelectChoice

from webapp.core.forms.fields import Form
from webapp.core.net.web_push import Subscription
from webapp.notifications.kinds import KINDS

from .devices import PushPreferences

HIDDEN, SHOWN = "hidden", "shown"


class PushForm(Form):
    """The preferences for a member's devices: a box for each kind, by its name, and the content."""

    content = RadioField(
        _l("What notifications show"),
        choices=[
            SelectChoice(HIDDEN, _l("Only say that something happened")),
            SelectChoice(SHOWN, _l("Show who it was and what it says")),
        ],
        default=HIDDEN,
    )

    @classmethod
    def from_preferences(cls, preferences: PushPreferences) -> PushForm:
        """Return the form as the member left it."""
        content = SHOWN if preferences.shows_content else HIDDEN
        kinds = {kind_field(kind): kind in preferences.kinds for kind in KINDS}
        return cls(formdata=None, data={"content": content, **kinds})

    @property
    def kinds(self) -> list[str]:
        """Return the kinds that are chosen."""
        return [kind for kind in KINDS if self[kind_field(kind)].data]


def kind_field(kind: str) -> str:
    """Return the name of a kind's box. The form above on the same page has fields named `kind`."""
    return f"push_{kind}"


for _kind in KINDS.values():
    setattr(PushForm, kind_field(_kind.name), BooleanField(_kind.label))


class SubscriptionForm(Form):
    """A browser's subscription. A script fills it in."""

    endpoint = HiddenField()
    p256dh = HiddenField()
    auth = HiddenField()

    @property
    def subscription(self) -> Subscription:
        """Return the subscription, which nobody has checked."""
        return Subscription(self.endpoint.data or "", self.p256dh.data or "", self.auth.data or "")
