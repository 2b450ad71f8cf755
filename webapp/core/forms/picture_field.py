"""The field of an uploaded picture."""

from math import isfinite
from typing import Any, ClassVar

from flask import request
from flask_babel import gettext as _
from markupsafe import Markup
from wtforms import FileField

from webapp.core.media.images import MIDDLE, Crop
from webapp.core.web import config

from .fields import PICTURE_TYPES


def picture_limit() -> dict[str, object]:
    """Return attributes with the limit of a picture in bytes, and the sentences of refusals.

    picture-files.js reads them.
    """
    limit = config().upload_max
    return {
        "data-max-bytes": limit,
        "data-too-big": _(
            "That file is too big. Pictures can be up to %(size)d MB.", size=limit // 1_048_576
        ),
        "data-not-picture": _("We can’t read that picture. Use a JPEG, PNG, WebP or GIF file."),
    }


class PictureField(FileField):  # type: ignore[misc]
    """An uploaded picture: a FileStorage, or None when none was chosen; `crop`, what to keep of it.

    picture-crop.js adds sliders for the latter. Without them it is the middle.
    """

    SLIDERS: ClassVar = {
        "x": (0, 100, 50),
        "y": (0, 100, 50),
        "zoom": (100, 400, 100),
    }  # least, most, first
    crop = MIDDLE

    def __call__(self, **attributes: Any) -> Markup:
        limit = picture_limit()
        return Markup(super().__call__(accept=PICTURE_TYPES, **limit, **attributes))

    def process_formdata(self, valuelist: list[Any]) -> None:
        upload = request.files.get(self.name)
        self.data = upload if upload and upload.filename else None
        self.crop = Crop(**{name: self._percentage(name) for name in self.SLIDERS})

    def _percentage(self, slider: str) -> float:
        """Return the value of a slider within its limits, 1 for 100 %."""
        least, most, default = self.SLIDERS[slider]
        value = request.form.get(f"{self.name}_{slider}", float(default), type=float)
        return min(max(value, least), most) / 100 if isfinite(value) else default / 100
