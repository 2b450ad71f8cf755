"""The forms that add and remove bans."""

import time
from urllib.parse import urlsplit

from flask import g, request
from flask_babel import gettext as _, lazy_gettext as _l
from wtforms import HiddenField, RadioField, SelectField, StringField
from wtforms.fields.choices import SelectChoice
from wtforms.validators import InputRequired, ValidationError

from webapp.core.bans.domain_names import clean_domain
from webapp.core.bans.networks import WIDEST, is_loopback, parse_network
from webapp.core.bans.phrases import fold_text, tokens_of
from webapp.core.forms.fields import Form, cleaned, normalize_line
from webapp.core.net.ip import parse_address
from webapp.core.web import config
from webapp.site_settings import DOMAIN, NETWORK, REFUSE, SIGNUP, WORD, Ban

from .labels import KINDS, LASTING, NETWORK_ACTIONS, TEXT_ACTIONS

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
    note = StringField(
        _l("Note"),
        [cleaned(normalize_line, NOTE_MAX)],
        description=_l("Moderators find it here and in the log."),
    )
    version = HiddenField()

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
        _l("What to look for"),
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


class NetworkForm(BanForm):
    """A network that is kept out."""

    value = StringField(
        _l("Address or network"),
        [InputRequired(_l("Enter an address or a network."))],
        description=_l("Such as 192.0.2.7, 192.0.2.0/24 or 2001:db8::/48."),
        render_kw={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"},
    )
    action = RadioField(
        _l("What is refused"),
        choices=[SelectChoice(action, label) for action, label in NETWORK_ACTIONS.items()],
        default=SIGNUP,
    )

    def validate_kind(self, field: HiddenField) -> None:
        """Let the kind be that of networks, whatever was sent."""
        field.data = NETWORK

    def validate_value(self, field: StringField) -> None:
        """Parse the network. Raises ValidationError for one that would keep out too many."""
        network = parse_network(normalize_line(field.data, VALUE_MAX))
        if network is None:
            raise ValidationError(_("Enter an address or a network, such as 192.0.2.0/24."))
        if network.prefixlen < (widest := WIDEST[network.version]):
            raise ValidationError(_("That network is too wide. At most /%(bits)d.", bits=widest))
        own = parse_address(request.remote_addr or "")
        if is_loopback(network) or (own and own in network):
            raise ValidationError(_("You or this server would be kept out yourselves."))
        field.data = str(network)


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
