"""Fields of whole numbers take any text."""

from pathlib import Path

import pytest
from flask import Flask
from wtforms.validators import InputRequired, NumberRange

import webapp
from webapp.core.forms.fields import Form
from webapp.core.forms.number_field import NumberField


class Numbered(Form):
    number = NumberField(validators=[InputRequired(), NumberRange(1, 5)])


@pytest.mark.parametrize(
    ("sent", "number"),
    [("3", 3), (" ３ ", 3), ("", None), ("9" * 400, None), ("-" + "9" * 4000, None), ("1e3", None)],
)
def test_a_number_is_parsed_or_refused(app: Flask, sent: str, number: int | None) -> None:
    with app.test_request_context(method="POST", data={"number": sent}):
        form = Numbered()
        assert form.validate_on_submit() is (number is not None)
        assert form.number.data == number and bool(form.number.errors) is (number is None)


def test_all_forms_have_such_fields() -> None:
    files = Path(webapp.__file__).parent.rglob("*.py")
    expected = ["number_field.py"]
    assert [file.name for file in files if "IntegerField" in file.read_text()] == expected
