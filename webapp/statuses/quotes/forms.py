"""The form of who may quote a status."""

from __future__ import annotations

from flask_babel import lazy_gettext as _l
from wtforms import SelectField

from webapp.accounts.settings.quote_policy import choices as quote_policies
from webapp.core.forms.fields import Form


class QuotePolicyForm(Form):
    """The quote policy of a status that is already posted."""

    # The id of its own, as a composer with the same field may be on the page.
    quote_policy = SelectField(
        _l("Who can quote it"), choices=quote_policies(), id="quote-policy-now"
    )
