"""The further posts of a form that writes a thread, and of a draft."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from flask import request
from wtforms import TextAreaField

from webapp.core.text.parser import is_blank
from webapp.core.web import unwrap
from webapp.statuses.polls import forms as polls_forms
from webapp.statuses.values.pictures import Picture

from .part_form import PartForm

PARTS_MAX: Final = 9  # posts of a thread besides the first
FIELD_NAMES: Final = tuple(f"more{number}" for number in range(1, PARTS_MAX + 1))  # of the texts
OTHER_FIELDS: Final = ("cw", "sensitive", "lat", "long", "place", *polls_forms.FIELD_NAMES)
COUNT = "count"  # field of a draft: how many of its pictures belong to the post
DRAFT_FIELDS: Final = (
    *FIELD_NAMES,
    *(f"{part}_{name}" for part in FIELD_NAMES for name in OTHER_FIELDS),
)


class PartText(TextAreaField):  # type: ignore[misc]
    """The text of a further post. Its field has the name of the post, such as `more1`."""

    def __init__(self, *args: Any, **options: Any) -> None:
        name = options["_prefix"].rstrip("_")
        super().__init__(*args, **{**options, "name": name, "_prefix": ""})


class ThreadPart(PartForm):
    """A further post. `number`: its place in the thread, from 2, without gaps.

    `index`: of its name in FIELD_NAMES. `data`: what it begins with; None reads the request.
    """

    text = PartText()

    def __init__(self, index: int, number: int = 0, data: Mapping[str, Any] | None = None) -> None:
        self._reads_request = data is None
        self.number = number
        super().__init__(prefix=f"{FIELD_NAMES[index]}_", data=data)

    def is_submitted(self) -> bool:
        """Return True if it reads the request."""
        return self._reads_request


def submitted_parts() -> list[ThreadPart]:
    """Return the further posts of the request, without those that are empty."""
    form = unwrap(request).form
    parts = [ThreadPart(index) for index, name in enumerate(FIELD_NAMES) if name in form]
    filled = [part for part in parts if _is_filled({**part.poll_form.data, **part.data})]
    for number, part in enumerate(filled, 2):
        part.number = number
    return filled


def draft_parts(data: Mapping[str, Any]) -> list[ThreadPart]:
    """Return the further posts of a form's first values. `more`: the values of each."""
    return [ThreadPart(index, index + 2, one) for index, one in enumerate(data.get("more", ()))]


def posts_of_draft(fields: Mapping[str, str], pictures: Sequence[Picture]) -> list[dict[str, Any]]:
    """Return the fields of each post of a draft, by their names in a form of one post.

    `pictures`: of all posts, in their order. Further posts that are empty are left out.
    """
    counts = [int(fields.get(f"{name}_{COUNT}", 0)) for name in FIELD_NAMES]
    rest = iter(pictures)
    first = {**fields, "pictures": tuple(islice(rest, max(len(pictures) - sum(counts), 0)))}
    further = [
        {
            **{one: value for one in OTHER_FIELDS if (value := fields.get(f"{name}_{one}"))},
            "text": fields.get(name, ""),
            "pictures": tuple(islice(rest, count)),
        }
        for name, count in zip(FIELD_NAMES, counts, strict=True)
    ]
    return [first, *filter(_is_filled, further)]


def split_pictures(pictures: Iterable[Picture], counts: Iterable[int]) -> list[list[Picture]]:
    """Return the pictures of each post, of which it has so many."""
    rest = iter(pictures)
    return [list(islice(rest, count)) for count in counts]


def _is_filled(post: Mapping[str, Any]) -> bool:
    options = (post.get(name) for name in polls_forms.OPTION_FIELDS)
    return bool(not is_blank(post["text"] or "") or post["pictures"] or any(options))
