"""The fields of forms, which are copies of the first ones."""

from collections.abc import Iterator
from typing import Any

from flask import Flask
from wtforms import Field, SelectField, StringField
from wtforms.fields.choices import SelectChoice
from wtforms.validators import InputRequired

from webapp.core.forms.fields import Form
from webapp.statuses.compose.thread_parts import ThreadPart


class Sample(Form):
    text = StringField("Text", [InputRequired()], render_kw={"class": "wide"})
    choice = SelectField("Choice", choices=[SelectChoice("a"), SelectChoice("b")], default="a")


def subclasses(kind: type[Form]) -> Iterator[type[Form]]:
    for one in kind.__subclasses__():
        yield from (one, *subclasses(one))


def values(field: Field) -> dict[str, Any]:
    """Return what a field is made of, in a form that can be compared."""
    plain = dict(vars(field), label=str(field.label.text), flags=vars(field.flags))
    return {name: value for name, value in plain.items() if name not in ("_form", "meta")}


def test_what_one_form_changes_is_not_in_the_next(app: Flask) -> None:
    with app.test_request_context(method="POST", data={"text": "", "choice": "c"}):
        first = Sample()
        assert not first.validate()
        first.text.label.text, first.choice.choices = "Other", [SelectChoice("c")]
        assert first.validate_on_submit() is False and first.choice.errors == []
    with app.test_request_context(method="POST", data={"text": "larks"}):
        second = Sample()
        assert second.validate() and second.data == {"text": "larks", "choice": "a"}
        assert str(second.text.label) == '<label for="text">Text</label>'
        assert second.text.meta is second.meta is not first.meta


def test_no_field_of_the_site_depends_on_who_asked_first(app: Flask) -> None:
    """So copies are as good as new fields, in any language."""
    for language in ("en", "zh-CN"):
        with app.test_request_context(headers={"Accept-Language": language}):
            sample = Sample()
            common = {"prefix": "", "translations": sample.meta.get_translations(sample)}
            for kind in {*subclasses(Form)} - {ThreadPart}:  # which always has a prefix
                form = object.__new__(kind)
                form.meta = sample.meta
                for name in dir(kind):
                    unbound = getattr(kind, name)
                    if not name.startswith("_") and hasattr(unbound, "_formfield"):
                        options = {"name": unbound.name or name, **common}
                        copied = form.meta.bind_field(form, unbound, options)
                        assert values(copied) == values(unbound.bind(form, **options)), kind
