"""A member's own apps: the keys that clients of the streaming API sign their requests with (OAuth 1.0a)."""

from __future__ import annotations

from flask import Blueprint, flash, g, make_response, redirect, render_template, url_for
from flask_babel import gettext as _
from flask_babel import lazy_gettext as _l
from werkzeug.wrappers import Response
from wtforms import StringField
from wtforms.validators import InputRequired, ValidationError

from .. import limits
from ..app import config, db
from ..errors import Refused
from ..forms import Form
from ..text import Unacceptable, clean_name
from . import apps
from .settings_forms import TOKEN_NAME_MAX

bp = Blueprint("apps", __name__, url_prefix="/settings/apps")


class AppForm(Form):
    """A name for a new app."""

    name = StringField(
        _l("Name"),
        [InputRequired(_l("Say what you call the app."))],
        id="app-name",  # unlike that of the form for tokens, which may be on the same page
        description=_l("What you call it, so that you know it again."),
        render_kw={"autocomplete": "off"},
    )

    def validate_name(self, field: StringField) -> None:
        """One line that shows something."""
        try:
            field.data = clean_name(field.data or "", TOKEN_NAME_MAX)
        except Unacceptable as error:
            if error.reason == "too_long":
                most = TOKEN_NAME_MAX
                sentence = _("That has %(length)d characters; at most %(most)d fit.", length=error.weight, most=most)
                raise ValidationError(sentence) from None
            raise ValidationError(_("Say what you call the app.")) from None


@bp.get("")
def index() -> Response:
    """A member's apps."""
    return _page(AppForm(formdata=None))


@bp.post("")
def make() -> Response:
    """A new app; its secrets are shown in this answer, and never again."""
    form = AppForm()
    if not form.validate_on_submit():
        return _page(form, status=422)
    limits.take(db(), ("app", str(g.viewer.uid), config().limit_token))
    try:
        pair = apps.make(db(), config(), g.viewer.uid, form.name.data)
    except Refused as refusal:
        form.name.errors = [str(refusal.sentence)]
        return _page(form, status=refusal.status)
    return _page(AppForm(formdata=None), pair, 201)


@bp.post("/<key>/revoke")
def revoke(key: str) -> Response:
    """Makes an app's keys invalid."""
    if apps.revoke(db(), config(), g.viewer.uid, key):
        flash(_("The app is revoked."))
    return redirect(url_for("apps.index"), 303)


def _page(form: AppForm, made: apps.Pair | None = None, status: int = 200) -> Response:
    found = apps.listed(db(), g.viewer.uid)
    response = make_response(render_template("settings/apps.html", form=form, made=made, apps=found), status)
    if made:
        response.headers["Cache-Control"] = "no-store"
    return response
