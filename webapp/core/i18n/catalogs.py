"""The words of the site in other languages, from the catalogues under translations/, which need no build step."""

from __future__ import annotations

from functools import cache
from io import BytesIO
from pathlib import Path

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.support import NullTranslations, Translations
from flask_babel import Domain
from wtforms.i18n import messages_path

from . import preferences

TRANSLATIONS_DIR = Path(__file__).parent / "translations"


class CatalogDomain(Domain):  # type: ignore[misc]
    """Flask-Babel's domain of messages, for which a catalogue's text is enough."""

    def get_translations(self) -> NullTranslations:
        """The words in the language of this request; English, in which they are written, needs none."""
        return load_catalog(preferences.language().locale)


@cache
def wtforms_translations(locale: str) -> NullTranslations:
    """What WTForms says by itself, in a locale; in English where it has no words for it."""
    return Translations.load(messages_path(), [locale], domain="wtforms")


@cache  # once a process: a catalogue takes tens of milliseconds
def load_catalog(locale: str) -> NullTranslations:
    """The messages of a locale such as zh_Hans_CN; none where it has no catalogue."""
    path = TRANSLATIONS_DIR / locale / "LC_MESSAGES" / "messages.po"
    if not path.exists():
        return Translations()
    compiled = BytesIO()
    with path.open("rb") as source:
        write_mo(compiled, read_po(source, locale))
    compiled.seek(0)
    return Translations(compiled)
