"""The words of these pages: Markdown files that come with Linnet, or the operator's own."""

from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from markdown_it import MarkdownIt
from markupsafe import Markup

from webapp.config import Config
from webapp.core.i18n.preferences import ENGLISH, LANGUAGES
from webapp.site_settings import DOCUMENTS as DOCUMENTS

OWN_FOLDER = "pages"  # in the data folder: <language>/<document>.md
SHIPPED = Path(__file__).parents[2] / "templates" / "about" / "pages"
BYTES_MAX = 200_000  # of a file that is read
# Markdown's headings begin below the page's own. HTML in a file is shown as text.
PARSER = MarkdownIt("commonmark", {"html": False})


class AboutPage(NamedTuple):
    """A page's title and the HTML below it, and the code of the language that it is in."""

    title: str
    body: Markup
    language: str


def load(config: Config, name: str, language: str) -> AboutPage:
    """Return a document in a language: the operator's own, in English if need be, or Linnet's.

    The operator's are live settings, or files. Its first line is its title, `# Title`.
    """
    data_dir = config.data_dir
    for code in (language, ENGLISH.code):
        if text := getattr(config, f"page_{name}_{code}"):
            return render(text, code)
    for folder, code in (
        (data_dir / OWN_FOLDER, language),
        (data_dir / OWN_FOLDER, ENGLISH.code),
        (SHIPPED, language),
    ):
        file = folder / code / f"{name}.md"
        if file.is_file():
            return _render(file, file.stat().st_mtime_ns, code)
    raise FileNotFoundError(name)


def is_written(config: Config, name: str) -> bool:
    """Return True if the operator has written a document: a title and a text, in any language."""
    data_dir = config.data_dir
    if any(getattr(config, f"page_{name}_{code}") for code in LANGUAGES):
        return True
    files = filter(Path.is_file, (data_dir / OWN_FOLDER).glob(f"*/{name}.md"))
    return any(_render(file, file.stat().st_mtime_ns, ENGLISH.code).body.strip() for file in files)


@lru_cache(maxsize=64)
def _render(file: Path, modified_at: int, language: str) -> AboutPage:
    """Return a file as HTML. `modified_at` lets a changed file be read again."""
    with file.open(encoding="utf-8", errors="replace") as opened:
        return render(opened.read(BYTES_MAX), language)


@lru_cache(maxsize=16)
def render(text: str, language: str) -> AboutPage:
    """Return a text in Markdown as HTML; its first line is its title."""
    first, _, rest = text.lstrip("\ufeff").lstrip().partition("\n")
    return AboutPage(first.lstrip("# ").strip(), Markup(PARSER.render(rest)), language)
