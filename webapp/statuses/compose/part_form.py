"""The form fields of one post that is written: text, warning, pictures, poll and place."""

from collections.abc import Mapping
from functools import cached_property
from itertools import chain
from typing import Any

from flask_babel import lazy_gettext as _l, ngettext
from wtforms import BooleanField
from wtforms.validators import ValidationError

from webapp.core.errors import SENTENCES
from webapp.core.forms.fields import PICTURES_MAX
from webapp.core.text.parser import is_blank
from webapp.core.web import config
from webapp.statuses.attachments.place_forms import PlaceForm
from webapp.statuses.polls.forms import PollForm
from webapp.statuses.values.places import Place
from webapp.statuses.values.poll import Poll

from .picture_rows import PicturesField, clean_pictures
from .text_form import TextForm


class PartForm(TextForm):
    """A post to write. Once valid, `poll` and `parsed_place` hold these parts, if it has them."""

    pictures = PicturesField(_l("Add pictures"))
    sensitive = BooleanField(_l("Sensitive: hide pictures until people choose to look"))
    poll: Poll | None = None
    parsed_place: Place | None = None

    def __init__(self, *args: Any, data: Mapping[str, Any] | None = None, **kwargs: Any) -> None:
        super().__init__(*args, data=data, **kwargs)
        self._initial_data = data
        self.pictures_max = min(config().status_pictures_max, PICTURES_MAX)
        self.alt_max = config().alt_max

    @cached_property
    def poll_form(self) -> PollForm:
        """Return the part that asks a poll."""
        return PollForm(self, data=self._initial_data, prefix=self.prefix)

    @cached_property
    def place_form(self) -> PlaceForm:
        """Return the part with the location."""
        return PlaceForm(self, data=self._initial_data, prefix=self.prefix)

    def validate(self, extra_validators: Any = None) -> bool:
        """Validate all of it; a part only if something in it is filled in."""
        valid = bool(super().validate(extra_validators))
        if PollForm.is_filled(self.prefix):
            valid = self.poll_form.validate() and valid
            self.poll = self.poll_form.poll
        if PlaceForm.is_filled(self.prefix):
            valid = self.place_form.validate() and valid
            self.parsed_place = self.place_form.parsed_place
        return valid

    @property
    def is_blank(self) -> bool:
        """Return True without text and pictures."""
        return is_blank(self.text.data or "") and not self.pictures.data

    @property
    def first_errors(self) -> dict[str, str]:
        """Return the first error of each refused field, by the name of the field."""
        fields = chain(self, self.poll_form, self.place_form)
        return {field.name: str(field.errors[0]) for field in fields if field.errors}

    def validate_text(self, field: Any) -> None:
        """Parse the text, which may be empty if there are pictures."""
        self.parse_text(field, is_required=not self.pictures.data)

    def has_valid_pictures(self) -> bool:
        """Validate the pictures alone, for a draft."""
        return bool(self.pictures.validate(self, [PartForm.validate_pictures]))

    def validate_pictures(self, field: PicturesField) -> None:
        """Check the number of pictures, their alternative texts and their focus."""
        if field.has_unknown:
            raise ValidationError(str(SENTENCES["no_upload"]))
        if len(field.data) > self.pictures_max:
            raise ValidationError(
                ngettext(
                    "A post has at most %(num)d picture.",
                    "A post has at most %(num)d pictures.",
                    self.pictures_max,
                )
            )
        clean_pictures(field, self.alt_max)
