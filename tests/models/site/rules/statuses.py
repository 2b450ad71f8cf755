"""Statuses: posting, deleting, editing and pinning them, and detaching quotes."""

from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import rule

from tests.models.site.machine import SiteMachineBase, exists, members, posts
from tests.models.site.model.events import set_present
from tests.models.site.model.facts import NOTHING, TEXTS
from webapp.core.errors import Conflict, Forbidden, NotFound, RefusedText
from webapp.core.text.parser import parse
from webapp.statuses import Poll, Visibility, keys as status_keys, store as statuses
from webapp.statuses.edits import editing, pins
from webapp.statuses.quotes import store as quotes
from webapp.statuses.values.visibility import WIDEST_FIRST, allowed_for_reply

EDITS_MAX = 2  # of one status
PINNED_MAX = 2  # of one member
REFUSED = "zounds"  # a word that public texts may not have
POLL = Poll(("reeds", "marsh"), 60)
SUFFIXES = ("", " at dusk", " at dawn")  # they keep the tags and mentions of a text


class StatusRules(SiteMachineBase):
    """Let members write."""

    def _post(self, author: int, text: str, form: str, **options: Any) -> int:
        return statuses.post(self.site, author, parse(text), form, **options)

    def _new_form(self) -> str:
        self.generation += 1
        return f"form-{self.generation}"

    @rule(
        target=posts,
        author=members,
        words=st.sampled_from(TEXTS),
        mentioned=members,
        mentions=st.booleans(),
        visibility=st.sampled_from(WIDEST_FIRST),
    )
    def post(
        self, author: int, words: str, mentioned: int, mentions: bool, visibility: Visibility
    ) -> int:
        """Post a status with a poll. The form is sent twice."""
        text = f"{words} @{self.model.logins[mentioned]}" if mentions else words
        form = self._new_form()
        if not self.is_active(author):
            with pytest.raises(Forbidden if author in self.model.suspended else NotFound):
                self._post(author, text, form)
            return NOTHING
        status_id = self._post(author, text, form, visibility=visibility, poll=POLL)
        again = self._post(author, text, form, visibility=visibility, poll=POLL)
        assert again == status_id
        self.model.add_status(status_id, author, words, visibility, text)
        if mentions and mentioned not in self.model.deleted_members:
            self.model.mentions[status_id] = mentioned
        return status_id

    @rule(author=members, visibility=st.sampled_from(WIDEST_FIRST), status_id=posts)
    def write_refused_word(self, author: int, visibility: Visibility, status_id: int) -> None:
        """Post or edit with a word that the site refuses: nothing changes."""
        text = f"dawn, {REFUSED.upper()}! at the marsh"
        with pytest.raises(RefusedText):
            self._post(author, text, self._new_form(), visibility=visibility)
        if exists(status_id) and self.model.statuses.get(status_id) == author:
            with pytest.raises(RefusedText):
                editing.edit(self.site, author, status_id, parse(text), "", "")

    @rule(
        target=posts,
        author=members,
        parent=posts,
        text=st.sampled_from(TEXTS),
        wanted=st.sampled_from([None, *WIDEST_FIRST]),
    )
    def reply(self, author: int, parent: int, text: str, wanted: Visibility | None) -> int:
        """Reply to a status. After a block, the result depends on what was applied."""
        form = self._new_form()
        parent_author = self.model.statuses.get(parent)
        if not exists(parent) or frozenset((author, parent_author)) in self.model.ever_blocked:
            return NOTHING
        inherited = self.model.effective_visibility(parent)
        can_reply = self.is_active(author, parent_author) and self.model.may_see(author, parent)
        if not can_reply:
            with pytest.raises((Forbidden, NotFound)):
                self._post(author, text, form, reply=parent, visibility=wanted)
            return NOTHING
        if wanted and wanted not in allowed_for_reply(inherited):
            with pytest.raises(Forbidden):
                self._post(author, text, form, reply=parent, visibility=wanted)
            return NOTHING
        status_id = self._post(author, text, form, reply=parent, visibility=wanted)
        assert status_id > parent
        self.model.add_status(status_id, author, text, wanted or inherited)
        self.model.parents[status_id] = parent
        if parent_author is not None and parent_author != author:
            self.model.reply_to_uid[status_id] = parent_author
        return status_id

    @rule(target=posts, author=members, quoted=posts, visibility=st.sampled_from(WIDEST_FIRST))
    def quote(self, author: int, quoted: int, visibility: Visibility) -> int:
        """Quote a status. The form is sent twice."""
        form = self._new_form()
        quoted_author = self.model.statuses.get(quoted)
        if not exists(quoted) or frozenset((author, quoted_author)) in self.model.ever_blocked:
            return NOTHING
        can_quote = self.is_active(author, quoted_author) and self.model.only_unrestricted([quoted])
        if not can_quote:
            with pytest.raises((Forbidden, NotFound)):
                self._post(author, "hello", form, visibility=visibility, quote=quoted)
            return NOTHING
        status_id = self._post(author, "hello", form, visibility=visibility, quote=quoted)
        again = self._post(author, "hello", form, visibility=visibility, quote=quoted)
        assert again == status_id
        self.model.add_status(status_id, author, "hello", visibility)
        self.model.quoted_ids[status_id] = quoted
        return status_id

    @rule(uid=members, quote=posts, wanted=st.booleans())
    def detach(self, uid: int, quote: int, wanted: bool) -> None:
        """Detach a quote of one's own status, or take that back."""
        if not self.is_active(uid) or not exists(quote):
            return
        quoted = self.model.quoted_ids.get(quote, NOTHING)
        act = quotes.detach if wanted else quotes.reattach
        is_own = quote in self.model.statuses and self.model.statuses.get(quoted) == uid
        if not is_own or not self.model.may_see(uid, quote):
            with pytest.raises(NotFound):
                act(self.site, uid, quote)
            return
        act(self.site, uid, quote)
        if wanted != (quote in self.model.detached):
            set_present(self.model.detached, quote, wanted)
            self.model.emit(uid, "detached", quoted, quote)

    @rule(status_id=posts, uid=members)
    def delete(self, status_id: int, uid: int) -> None:
        """Delete a status. Those of a deleted account may not have been erased yet."""
        if not self.is_active(uid) or not exists(status_id):
            return
        author = self.model.statuses.get(status_id)
        if author != uid:
            error: Any = (NotFound, Forbidden) if self.model.deleted_members else NotFound
            if author and self.model.only_unrestricted([status_id]):
                error = Forbidden
            with pytest.raises(error):
                statuses.delete(self.site, uid, status_id)
            return
        statuses.delete(self.site, uid, status_id)
        del self.model.statuses[status_id]
        pinned = self.model.pinned[uid]
        self.model.pinned[uid] = [other for other in pinned if other != status_id]
        self.model.emit(uid, "deleted", status_id, uid)

    @rule(status_id=posts, uid=members, suffix=st.sampled_from(SUFFIXES), is_outdated=st.booleans())
    def edit(self, status_id: int, uid: int, suffix: str, is_outdated: bool) -> None:
        """Edit a status, perhaps from a form that was opened before another edit."""
        if not exists(status_id) or uid in self.model.deleted_members:
            return
        versions = self.model.versions[status_id]
        text = versions[0] + suffix
        stored = self.db.run(("HGET", status_keys.status(status_id), "edited")) or "0"
        edited_at = "1" if is_outdated else stored
        edit = (self.site, uid, status_id, parse(text), "", edited_at)
        if self.model.statuses.get(status_id) != uid or uid in self.model.suspended:
            with pytest.raises((NotFound, Forbidden)):
                editing.edit(*edit)
        elif text == versions[-1]:
            assert not editing.edit(*edit)
        elif is_outdated or len(versions) > EDITS_MAX:
            with pytest.raises(Conflict):
                editing.edit(*edit)
        else:
            assert editing.edit(*edit)
            versions.append(text)
            self.model.emit(uid, "edited", status_id, uid)

    @rule(status_id=posts, uid=members)
    def pin(self, status_id: int, uid: int) -> None:
        if not exists(status_id) or uid in self.model.deleted_members:
            return
        pinned = self.model.pinned[uid]
        is_new = status_id not in pinned
        if self.model.statuses.get(status_id) != uid or uid in self.model.suspended:
            with pytest.raises((NotFound, Forbidden)):
                pins.pin(self.site, uid, status_id)
        elif is_new and len(pinned) == PINNED_MAX:
            with pytest.raises(Conflict):
                pins.pin(self.site, uid, status_id)
        else:
            pins.pin(self.site, uid, status_id)
            if is_new:
                pinned.append(status_id)
                self.model.emit(uid, "pinned", status_id, uid)

    @rule(status_id=posts, uid=members)
    def unpin(self, status_id: int, uid: int) -> None:
        if not exists(status_id) or uid in self.model.deleted_members:
            return
        pins.unpin(self.site, uid, status_id)
        if status_id in self.model.pinned[uid]:
            self.model.pinned[uid].remove(status_id)
            self.model.emit(uid, "unpinned", status_id, uid)
