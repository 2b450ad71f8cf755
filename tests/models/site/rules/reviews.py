"""Posts that are held until a moderator has read them: until then nobody sees them."""

import time
from datetime import UTC, datetime

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from tests.models.site.machine import members, posts
from tests.models.site.model.facts import NOTHING, TEXTS
from tests.models.site.rules.statuses import StatusRules
from webapp.accounts.member import Member
from webapp.core.errors import NotFound
from webapp.moderation import acting
from webapp.statuses import Visibility, keys as status_keys
from webapp.statuses.drafts import publishing, store as drafts
from webapp.statuses.values.visibility import WIDEST_FIRST

POLL = {"option1": "reeds", "option2": "marsh", "poll_minutes": "60"}
HELD = "heron"  # a word that moderators want to see before it is published
MODERATOR = Member(10**6, "owl", "Owl", datetime.now(UTC), rights=("moderator",))


class ReviewRules(StatusRules):
    """Let members write such posts, and a moderator decide."""

    @rule(author=members, words=st.sampled_from(TEXTS), visibility=st.sampled_from(WIDEST_FIRST))
    def hold(self, author: int, words: str, visibility: Visibility) -> None:
        """Post a word for review: it becomes a draft. A worker finds it again."""
        if not self.is_active(author):
            return
        form, text = self._new_form(), {"text": f"{words} {HELD}", "visibility": visibility.slug}
        drafts.save(self.site, author, form, text | POLL, datetime.now(UTC))
        for _ in range(2):
            publishing.publish(self.site, author, form)
        assert drafts.get(self.db, author, form).error_code == "in_review"
        self.model.emit(author, "unposted", author, author)
        self.held[author, form] = (words, visibility)

    @precondition(lambda self: self.held)
    @rule(target=posts, data=st.data(), kind=st.sampled_from(["publish", "publish", "withhold"]))
    def decide(self, data: st.DataObject, kind: str) -> int:
        """Publish a held post or not, twice. It becomes one post, or none."""
        author, form = key = data.draw(st.sampled_from(sorted(self.held)))
        content = self.held.pop(key)
        if author in self.model.deleted_members:  # the draft stays until workers erase it
            with pytest.raises(NotFound):
                acting.act(self.site, MODERATOR, author, kind, "Why.", int(time.time() * 1000))
            publishing.publish(self.site, author, form)
            return NOTHING
        saved = int(drafts.get(self.db, author, form).saved_ms)
        decision = (MODERATOR, author, kind, "Why.", saved)
        acting.act(self.site, *decision)
        self.model.emit(author, "moderated", author, author)
        with pytest.raises(NotFound):
            acting.act(self.site, *decision)
        for _ in range(2):
            publishing.publish(self.site, author, form)
        return self._published(author, form, *content) if kind == "publish" else NOTHING

    def _published(self, author: int, form: str, words: str, visibility: Visibility) -> int:
        """Return the post that a draft became; NOTHING if its author was suspended meanwhile."""
        if not self.is_active(author):
            assert drafts.get(self.db, author, form).error_code == "suspended"
            self.model.emit(author, "unposted", author, author)
            return NOTHING
        status_id = int(self.db.run(("GET", status_keys.last_status_id(author))))
        self.model.add_status(status_id, author, words, visibility, f"{words} {HELD}")
        return status_id
