"""The form of who may quote a status."""

from __future__ import annotations

from flask_babel import lazy_gettext as _l
from wtforms import SelectField

from webapp.accounts import quote_policy
from webapp.core.forms.fields import Form


class QuotePolicyForm(Form):
    """Who may quote a status that is posted already."""

    # The id of its own, as a composer with the same field may be on the page.
    quoting = SelectField(_l("Who can quote it"), choices=quote_policy.choices(), id="quoting-now")
