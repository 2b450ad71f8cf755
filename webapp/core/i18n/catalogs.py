"""The site's messages in other languages, from the catalogues below translations/.

Catalogues are compiled in memory, once a process. So there is no build step, and no generated file.
"""

from functools import cache, lru_cache
from io import BytesIO
from pathlib import Path

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.support import NullTranslations, Translations
from flask import has_app_context
from flask_babel import Domain
from wtforms.i18n import messages_path

from webapp.core.web import config

from . import preferences

SOFTWARE = "Linnet"  # the name in sentences; a site with another name is named instead
TRANSLATIONS_DIR = Path(__file__).parent / "translations"


class CatalogDomain(Domain):  # type: ignore[misc]
    """Flask-Babel's domain of messages, read from catalogues that are not compiled."""

    def get_translations(self) -> NullTranslations:
        """Return the messages in the language of this request, with the site's name in them."""
        locale = preferences.language().locale
        name = config().site_name if has_app_context() else SOFTWARE
        return site_catalog(locale, name)


class NamedTranslations(NullTranslations):
    """Messages that name the site as its operator does."""

    def __init__(self, catalog: NullTranslations, name: str) -> None:
        super().__init__()
        self._messages, self._name = catalog, name

    def ugettext(self, message: str) -> str:
        return str(self._messages.ugettext(message)).replace(SOFTWARE, self._name)

    def ungettext(self, singular: str, plural: str, number: int) -> str:
        message = self._messages.ungettext(singular, plural, number)
        return str(message).replace(SOFTWARE, self._name)

    def upgettext(self, context: str, message: str) -> str:
        return str(self._messages.upgettext(context, message)).replace(SOFTWARE, self._name)


def site_catalog(locale: str, name: str) -> NullTranslations:
    """Return the messages of a locale, with the name of the site in them."""
    return load_catalog(locale) if name == SOFTWARE else _with_name(locale, name)


@lru_cache(8)
def _with_name(locale: str, name: str) -> NullTranslations:
    return NamedTranslations(load_catalog(locale), name)


def preview(catalog: NullTranslations, text: str, cw: str, pictures: int) -> str:
    """Return the words of a status where it is not shown: its warning, else its text or pictures.

    `pictures`: how many.
    """
    if cw:
        return str(catalog.ugettext("Warning: %(warning)s")) % {"warning": cw}
    count = str(catalog.ungettext("%(num)d picture", "%(num)d pictures", pictures))
    return text or count % {"num": pictures}


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
