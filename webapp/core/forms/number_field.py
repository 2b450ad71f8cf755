"""The field of a whole number."""

from wtforms import IntegerField

LENGTH_MAX = 20  # characters


class NumberField(IntegerField):  # type: ignore[misc]
    """A whole number. One of very many digits is refused: NumberRange cannot compare it."""

    def process_formdata(self, valuelist: list[str]) -> None:
        """Parse what was sent. Raises ValueError."""
        super().process_formdata([text if len(text) <= LENGTH_MAX else "" for text in valuelist])
