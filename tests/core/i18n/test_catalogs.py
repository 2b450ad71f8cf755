"""The catalogues: complete, translated and well-formed."""

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.frontend import CommandLineInterface
from babel.messages.pofile import read_po

from webapp.core.i18n import catalogs
from webapp.core.i18n.preferences import LANGUAGES

ROOT = Path(__file__).parents[3]
TEMPLATES = ROOT / "templates"
CHINESE = catalogs.TRANSLATIONS_DIR / "zh_Hans_CN/LC_MESSAGES/messages.po"
PLACEHOLDER = re.compile(r"%\(\w+\)[sd]")
Name = tuple[str | None, Any]


@cache
def catalogue() -> Catalog:
    """Return the Chinese catalogue."""
    with CHINESE.open("rb") as source:
        return read_po(source, "zh_Hans_CN", abort_invalid=True)


def messages() -> list[Message]:
    """Return its messages, without the header."""
    return [message for message in catalogue() if message.id]


def forms(text: Any) -> tuple[str, ...]:
    """Return a message's forms: one, or one for each plural."""
    return text if isinstance(text, tuple | list) else (text,)


@pytest.fixture
def extracted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Catalog:
    """Return all messages in code and templates, extracted as `make words` does."""
    monkeypatch.chdir(ROOT)
    template = tmp_path / "messages.pot"
    CommandLineInterface().run(
        f"pybabel --quiet extract --mapping-file pyproject.toml --output-file {template} .".split()
    )
    with template.open("rb") as source:
        return read_po(source)


@pytest.mark.tables
@pytest.mark.slow
def test_the_catalogue_has_exactly_the_messages_in_use(extracted: Catalog) -> None:
    def names(catalog: Catalog) -> set[Name]:
        return {(message.context, message.id) for message in catalog if message.id}

    assert len(names(extracted)) > 100
    found = names(extracted) - names(catalogue())
    assert found == set(), "not in the catalogue: run `make words` and translate them"
    found = names(catalogue()) - names(extracted)
    assert found == set(), "not in the code any more: run `make words`"
    assert not catalogue().obsolete


@pytest.mark.tables
def test_every_message_is_translated_in_all_forms() -> None:
    assert catalogue().num_plurals == 1
    for message in messages():
        missing = f"translate it in messages.po: {message.id}"
        assert not message.fuzzy, missing
        assert len(forms(message.string)) == 1 and all(forms(message.string)), missing


def test_a_translation_has_the_placeholders_markup_and_outer_spaces_of_its_message() -> None:
    for message in messages():
        original, translated = forms(message.id)[-1], forms(message.string)[0]
        for pattern in (PLACEHOLDER, re.compile("<[^>]+>"), re.compile(r"^\s+|\s+$")):
            found = sorted(pattern.findall(translated))
            assert found == sorted(pattern.findall(original)), message.id


def test_chinese_has_fullwidth_punctuation_and_spaces_around_latin() -> None:
    for message in messages():
        text = re.sub(r"<[^>]+>", "", forms(message.string)[0])
        assert not re.search(r"[\u4e00-\u9fff][,.;:!?()]|[,;!?()][\u4e00-\u9fff]", text), text
        plain = PLACEHOLDER.sub("\0", text)
        assert not re.search(r"[\u4e00-\u9fff][A-Za-z0-9@]|[A-Za-z0-9][\u4e00-\u9fff]", plain), text
        assert "  " not in text and "..." not in text, text


def test_chinese_has_one_word_for_a_thing() -> None:
    """It is the word beside it: 网站 for a site, and so on."""
    others = {
        "站点": "网站",
        "推文": "动态",
        "帖子": "动态",
        "账户": "账号",
        "帐号": "账号",
        "拉黑": "屏蔽",
    }
    for message in messages():
        found = [other for other in others if other in forms(message.string)[0]]
        assert not found, (message.string, [others[other] for other in found])


def test_every_language_but_english_has_a_catalogue() -> None:
    seen = {path.name for path in catalogs.TRANSLATIONS_DIR.iterdir()}
    assert seen == {language.locale for language in LANGUAGES.values()} - {"en"}
    assert catalogs.load_catalog("zh_Hans_CN").ugettext("Home") == "首页"
    found = catalogs.load_catalog("zh_Hans_CN").ungettext("%(num)d second", "%(num)d seconds", 1)
    assert found == "%(num)d 秒"
    assert catalogs.load_catalog("en").ugettext("Home") == "Home"


def test_templates_leave_punctuation_to_the_catalogues() -> None:
    """A colon after an expression would be an English one on Chinese pages."""
    sentence = re.compile(r"(?s){#.*?#}|{% trans\b.*?{% endtrans %}")
    stray = re.compile(r"(?:}}|%})(?:</\w+>)?(?: ?[:,;!.])(?: |<|$)|(?:}}|%}) ?\(", re.M)
    for path in TEMPLATES.rglob("*.html"):
        text = sentence.sub("", path.read_text())
        assert not (found := stray.search(text)), (
            f"{path}: {text[found.start() - 60 : found.end()]}"
        )
