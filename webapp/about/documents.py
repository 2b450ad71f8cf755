"""The words of these pages: Markdown files that come with Linnet, or the operator's own."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from markdown_it import MarkdownIt
from markupsafe import Markup

from webapp.core.i18n.preferences import ENGLISH

DOCUMENTS = ("about", "terms", "privacy", "contact")
OWN_FOLDER = "pages"  # in the data folder: <language>/<document>.md
SHIPPED = Path(__file__).parents[2] / "templates" / "about" / "pages"
BYTES_MAX = 200_000  # of a file that is read
# Markdown's headings begin below the page's own. HTML in a file is shown as text.
PARSER = MarkdownIt("commonmark", {"html": False})


class Document(NamedTuple):
    """A page's title and the HTML below it, and the code of the language that it is in."""

    title: str
    body: Markup
    language: str


def load(data_dir: Path, name: str, language: str) -> Document:
    """Return a document in a language: the operator's own, in English if need be, or Linnet's.

    Its first line is its title, `# Title`.
    """
    for folder, code in (
        (data_dir / OWN_FOLDER, language),
        (data_dir / OWN_FOLDER, ENGLISH.code),
        (SHIPPED, language),
    ):
        file = folder / code / f"{name}.md"
        if file.is_file():
            return _render(file, file.stat().st_mtime_ns, code)
    raise FileNotFoundError(name)


def is_written(data_dir: Path, name: str) -> bool:
    """Return True if the operator has written a document: a title and a text, in any language."""
    files = filter(Path.is_file, (data_dir / OWN_FOLDER).glob(f"*/{name}.md"))
    return any(_render(file, file.stat().st_mtime_ns, ENGLISH.code).body.strip() for file in files)


@lru_cache(maxsize=64)
def _render(file: Path, modified_at: int, language: str) -> Document:
    """Return a file as HTML. `modified_at` lets a changed file be read again."""
    with file.open(encoding="utf-8", errors="replace") as opened:
        first, _, rest = opened.read(BYTES_MAX).lstrip("\ufeff").lstrip().partition("\n")
    return Document(first.lstrip("# ").strip(), Markup(PARSER.render(rest)), language)
