"""The forms of posts and threads that may be scheduled."""

from datetime import UTC, datetime, timedelta
from typing import Final

from flask import request
from flask_babel import gettext as _, lazy_gettext as _l
from wtforms import HiddenField, StringField
from wtforms.validators import ValidationError

from webapp.statuses.compose.forms import PostForm
from webapp.statuses.compose.remembered_audience import Audience

TIME_FORMAT: Final = "%Y-%m-%dT%H:%M"  # as a browser's field takes it
SCHEDULE_MAX = timedelta(days=366)  # that a post may wait
OFFSET_MAX: Final = 14 * 60  # minutes between UTC and anybody's time


class ScheduleForm(PostForm):
    """A status or a thread. Once valid, `due` is the time to post it, None for now.

    `at`: the time as a browser's field gives it; `offset`: how many minutes it is behind UTC.
    A button named `scheduled` requires the time. `in_review`: moderators see it first.
    """

    at = StringField(
        _l("When"),
        description=_l("In UTC."),
        render_kw={"type": "datetime-local", "autocomplete": "off"},
    )
    offset = HiddenField()
    due: datetime | None = None
    in_review: bool = False

    def validate_at(self, field: StringField) -> None:
        """Parse the time, which is within the next year."""
        if "scheduled" not in request.form and not (field.data or "").strip():
            return
        try:
            due = self._parse_time()
        except (ValueError, OverflowError):
            raise ValidationError(_("Choose a day and a time, such as 2026-12-24 18:30.")) from None
        if not timedelta() < due - datetime.now(UTC) <= SCHEDULE_MAX:
            raise ValidationError(_("Choose a time within the next 12 months."))
        self.due = due

    @property
    def time_in_utc(self) -> str:
        """Return the time for the form of a draft: in UTC, or as it was if it is no time."""
        try:
            return f"{self._parse_time():{TIME_FORMAT}}"
        except (ValueError, OverflowError):
            return str(self.at.data or "")

    def _parse_time(self) -> datetime:
        """Parse the time. Raises ValueError, OverflowError."""
        minutes = int(self.offset.data or 0)
        # By hand, where a browser has no such field.
        raw = (self.at.data or "").strip()[:16].replace(" ", "T")
        local_time = datetime.strptime(raw, TIME_FORMAT).replace(tzinfo=UTC)
        return local_time + timedelta(minutes=max(-OFFSET_MAX, min(minutes, OFFSET_MAX)))


class BlankPostForm(ScheduleForm):
    """An empty form that ignores the request, so that its HTML can be cached."""

    def __init__(self, audience: Audience) -> None:
        super().__init__(data=audience.slugs)

    def is_submitted(self) -> bool:
        """Return False, so that nothing is read from the request."""
        return False
