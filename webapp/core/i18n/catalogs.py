"""The site's messages in other languages, from the catalogues below translations/.

Catalogues are compiled in memory, once a process. So there is no build step, and no generated file.
"""

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
    """Flask-Babel's domain of messages, read from catalogues that are not compiled."""

    def get_translations(self) -> NullTranslations:
        """Return the messages in the language of this request."""
        return load_catalog(preferences.language().locale)


@cache
def wtforms_translations(locale: str) -> NullTranslations:
    """Return WTForms' own messages in a locale, in English if it has none for it."""
    return Translations.load(messages_path(), [locale], domain="wtforms")


@cache  # compiling takes tens of milliseconds
def load_catalog(locale: str) -> NullTranslations:
    """Return the messages of a locale such as zh_Hans_CN. English has no catalogue."""
    path = TRANSLATIONS_DIR / locale / "LC_MESSAGES" / "messages.po"
    if not path.exists():
        return Translations()
    compiled = BytesIO()
    with path.open("rb") as source:
        write_mo(compiled, read_po(source, locale))
    compiled.seek(0)
    return Translations(compiled)
