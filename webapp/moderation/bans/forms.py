"""The forms that add and remove bans."""

from __future__ import annotations

import time
from urllib.parse import urlsplit

from flask import g, request
from flask_babel import gettext as _
from flask_babel import lazy_gettext as _l
from wtforms import HiddenField, RadioField, SelectField, StringField
from wtforms.fields.choices import SelectChoice
from wtforms.validators import InputRequired, ValidationError

from webapp.core.bans.domain_names import clean_domain
from webapp.core.bans.phrases import fold_text, tokens_of
from webapp.core.forms.fields import Form, normalize_line
from webapp.core.web.context import config
from webapp.site_settings import DOMAIN, REFUSE, WORD, Ban

from .labels import KINDS, LASTING, TEXT_ACTIONS

VALUE_MAX = 100  # characters of a word or phrase, or of an address
NOTE_MAX = 200
LETTERS_MIN = 2  # one alone is in nearly every text


class BanForm(Form):
    """A new ban, and how long it lasts."""

    kind = HiddenField()
    value = StringField()
    action = HiddenField()
    lasts = SelectField(
        _l("How long"),
        choices=[SelectChoice(name, label) for name, (_time, label) in LASTING.items()],
        default="always",
    )
    note = StringField(_l("Note"), description=_l("Moderators find it here and in the log."))
    version = HiddenField()

    def validate_note(self, field: StringField) -> None:
        """Normalize the note, which may be empty."""
        field.data = normalize_line(field.data, NOTE_MAX)

    def to_ban(self) -> Ban:
        """Return the ban of a valid form, made by the viewer now."""
        now, seconds = int(time.time() * 1000), LASTING[self.lasts.data][0]
        return Ban(
            self.kind.data,
            self.value.data,
            self.action.data,
            self.note.data,
            now + seconds * 1000 if seconds else 0,
            g.viewer.login,
            now,
        )


class TermForm(BanForm):
    """A word, a phrase or a domain that public texts may not have."""

    kind = RadioField(
        _l("What is refused"),
        choices=[SelectChoice(kind, label) for kind, label in KINDS.items()],
        default=WORD,
    )
    value = StringField(
        _l("Word, phrase or domain"),
        [InputRequired(_l("Enter a word, a phrase or a domain."))],
        description=_l(
            "Capitals and accents make no difference. A word is found as a whole word, in Chinese"
            " anywhere."
        ),
        render_kw={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"},
    )
    action = RadioField(
        _l("What happens to a text with it"),
        choices=[SelectChoice(action, label) for action, label in TEXT_ACTIONS.items()],
        default=REFUSE,
    )

    def validate_value(self, field: StringField) -> None:
        """Clean the value. Raises ValidationError for one that is in nearly every text."""
        line = normalize_line(field.data, VALUE_MAX)
        if self.kind.data == DOMAIN:
            field.data = _domain(line)
            return
        field.data = fold_text(line)
        if sum(map(len, tokens_of(field.data))) < LETTERS_MIN:
            raise ValidationError(_("Enter at least two letters or digits."))


def _domain(line: str) -> str:
    """Return a domain. Raises ValidationError, also for the site's own."""
    domain = clean_domain(line)
    if not domain:
        raise ValidationError(_("Enter a domain, such as spam.example."))
    for address in (request.host_url, config().site_url):
        host = urlsplit(address).hostname or ""
        if host == domain or host.endswith(f".{domain}"):
            raise ValidationError(_("That is the address of this site."))
    return domain
