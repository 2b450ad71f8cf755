"""Statuses, boosts, pins and edits, which filters hide."""

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import rule

from tests.models.filters.machine import FiltersMachineBase, readers
from tests.models.filters.model import TAG, WORDS
from tests.support.state_machines.expected import StatusRecord
from tests.support.state_machines.strategies import posts, visibilities
from webapp.core.text.parser import parse
from webapp.statuses import Poll, Visibility, keys as status_keys
from webapp.statuses.edits import editing, pins
from webapp.statuses.interactions import boosts

ACTIONS = (
    *("post", "post", "reply", "reply", "reply", "quote"),
    *("boost", "boost", "pin", "edit", "delete"),
)
# The member, the action, its content, and the earlier status that it is about.
Action = tuple[int, str, dict[str, Any], int]
contents = st.fixed_dictionaries(
    {
        "words": st.sampled_from(WORDS),
        "part": st.sampled_from(["text", "text", "cw", "poll"]),
        "mentioned": st.none() | readers,
        "visibility": st.just(Visibility.PUBLIC) | visibilities,
    }
)
actions = st.tuples(st.sampled_from([1, 2, 3, 3, 4, 4]), st.sampled_from(ACTIONS), contents, posts)


class StatusRules(FiltersMachineBase):
    """Let members write, boost and pin."""

    @rule(drawn=st.lists(actions, min_size=1, max_size=3))
    def act(self, drawn: list[Action]) -> None:
        """Post, or act on earlier posts."""
        for action in drawn:
            self.act_once(*action)

    def act_once(self, uid: int, action: str, content: dict[str, Any], back: int) -> None:
        """Post, or act on an earlier post; authors pin and edit."""
        status_id = self.pick(back)
        status = self.statuses.get(status_id)
        if action == "boost":
            self.attempt(boosts.boost, uid, status_id)
        elif action == "delete":
            self.delete(status_id)
        elif action == "pin" and status:
            self.attempt(pins.pin, status.author, status_id)
        elif action == "edit" and status:
            self._edit(status_id, status, content["words"])
        elif action in ("reply", "quote") and status_id:
            self._write(uid, content, **{action: status_id})
        else:
            self._write(uid, content)

    def _edit(self, status_id: int, status: StatusRecord, words: str) -> None:
        """Replace the words of a text; keep its tag and mention."""
        text = words + status.text[status.text.index(TAG) :]
        version = self.db.run(("HGET", status_keys.status(status_id), "edited")) or "0"
        cw = status.options.get("cw", "")
        if self.attempt(editing.edit, status.author, status_id, parse(text), cw, version):
            status.text = text

    def _write(self, uid: int, content: dict[str, Any], **options: Any) -> None:
        """Post words in the text, the content warning or the poll."""
        words, part, mentioned = content["words"], content["part"], content["mentioned"]
        if part == "cw":
            options["cw"] = words
        elif part == "poll":
            options["poll"] = Poll((words, "reeds"), 60)
        if "reply" not in options:
            options["visibility"] = content["visibility"]
        mention = f" @{self.logins[mentioned]}" if mentioned else ""
        self.post(uid, (words if part == "text" else "hello") + TAG + mention, **options)
