"""The icon of the site at /admin/icon: chosen, or Linnet's own again."""

from flask import g
from flask_babel import gettext as _, lazy_gettext as _l
from wtforms import BooleanField
from wtforms.validators import ValidationError

from webapp.accounts.viewer import admin_blueprint
from webapp.core.forms.fields import Form
from webapp.core.forms.picture_field import PictureField
from webapp.core.media.decoding import BadPicture
from webapp.core.rendering.static import site_icons
from webapp.core.settings import store
from webapp.core.web import ViewResponse, accepts_uploads, config, db, done, live_settings

bp = admin_blueprint("icon", __name__)


class IconForm(Form):
    """A picture, of which a square becomes the icon."""

    picture = PictureField(
        _l("Icon"), description=_l("A square of at least 512 pixels looks best everywhere.")
    )
    remove_picture = BooleanField(_l("Use the original icon again"))

    def validate_picture(self, field: PictureField) -> None:
        """Require a picture, unless the original icon is wanted. Raises ValidationError."""
        if not (field.data or self.remove_picture.data):
            raise ValidationError(_("Choose a picture."))


@bp.route("/admin/icon", methods=["GET", "POST"])
@accepts_uploads(1)
def change() -> ViewResponse:
    """Use another icon everywhere. The history of settings can undo it."""
    form = IconForm()

    def save() -> None:
        file, crop = form.picture.data, form.picture.crop
        name = site_icons.save(config(), file.stream, crop) if file else None
        store.change(db(), live_settings(), {"icon": name}, g.viewer.login)

    if form.carry_out(save, "edit", field="picture", refusals=BadPicture):
        return done(_("Saved. Every process uses it within a second."), "icon.change")
    return form.render("admin/icon.html")
