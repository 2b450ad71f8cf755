"""The icon of the site at /admin/icon: chosen, or Linnet's own again."""

from flask import g, render_template
from flask_babel import gettext as _
from flask_babel import lazy_gettext as _l
from werkzeug.wrappers import Response
from wtforms import BooleanField

from webapp.accounts.viewer import admin_blueprint
from webapp.core.forms.fields import Form
from webapp.core.forms.picture_field import PictureField
from webapp.core.media.decoding import BadPicture
from webapp.core.rendering.static import site_icons
from webapp.core.settings import store
from webapp.core.web import accepts_uploads, config, db, done, live_settings, rate_limited

bp = admin_blueprint("icon", __name__)
ViewResponse = str | Response | tuple[str, int]


class IconForm(Form):
    """A picture, of which a square becomes the icon."""

    picture = PictureField(
        _l("Icon"), description=_l("A square of at least 512 pixels looks best everywhere.")
    )
    remove_picture = BooleanField(_l("Use the original icon again"))


@bp.get("/admin/icon")
def show() -> str:
    """Show the icon, and a form to change it."""
    return _page(IconForm(formdata=None))


@bp.post("/admin/icon")
@accepts_uploads(1)
@rate_limited("edit")
def change() -> ViewResponse:
    """Use another icon everywhere. The history of settings can undo it."""
    form = IconForm()
    if form.picture.data:
        try:
            name: str | None = site_icons.save(
                config(), form.picture.data.stream, form.picture.crop
            )
        except BadPicture as refusal:
            return _page(form.refuse(refusal, "picture")), refusal.status
    elif form.remove_picture.data:
        name = None
    else:
        form.picture.errors = [_("Choose a picture.")]
        return _page(form), 422
    store.change(db(), live_settings(), {"icon": name}, g.viewer.login)
    return done(_("Saved. Every process uses it within a second."), "icon.show")


def _page(form: IconForm) -> str:
    return render_template("admin/icon.html", form=form)
