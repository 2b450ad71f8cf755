"""Groups of notifications, with the members and statuses that they are about."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from flask_babel import lazy_gettext as _l
from flask_babel.speaklater import LazyString

from webapp.accounts import store as accounts
from webapp.accounts.store import Member
from webapp.chat.bots import keys as bot_keys
from webapp.core.store import Db, Read, collect, constant, gather, read
from webapp.statuses import Relationship, Status, StoredStatus, Visibility, stored_status
from webapp.statuses.drafts.store import Draft, draft
from webapp.statuses.visibility import keys as group_keys
from webapp.statuses.visibility.groups import memberships

from .chats import ChatMention, chat_mention
from .entries import Entry
from .kinds import Kind

GROUP_MEMBERS_SHOWN = 8  # members of a group who are shown
HELD = _l("A scheduled post is waiting for review")


@dataclass(frozen=True, slots=True)
class NotificationGroup:
    """Notifications of one kind about the same status or from the same day.

    `members`: the newest members who caused them. `count`: the number of all such members.
    `status`, `chat_mention`, `draft` or `bot`: their subject, if there is one. `newest_us`: when
    the newest was created (unix µs). `has_unread`: some of them were not shown yet.
    """

    kind: Kind
    members: tuple[Member, ...]
    count: int
    status: Status | None
    chat_mention: ChatMention | None
    draft: Draft | None
    bot: Member | None
    newest_us: int
    has_unread: bool
    own: str = ""  # the act, the report or the group that it is about, as entries have it
    invited_to: str = ""  # the name of a group of members

    @property
    def sentence(self) -> LazyString:
        """Return the sentence of the notification, with %(who)s, or that of a held draft."""
        is_held = self.draft and self.draft.error_code == "in_review"
        return HELD if is_held else self.kind.sentence

    @property
    def latest_at(self) -> datetime:
        """Return when the newest was created."""
        return datetime.fromtimestamp(self.newest_us / 1_000_000, UTC)


@dataclass(frozen=True, slots=True)
class _Subjects:
    """The data that groups refer to: members by uid, statuses by id, the others as entries do."""

    members: Mapping[int, Member]
    statuses: Mapping[int, StoredStatus]
    mentions: Mapping[str, ChatMention | None]
    drafts: Mapping[str, Draft | None]
    bots: Mapping[str, Member | None]
    groups: Mapping[str, str | None]  # names, by number

    @property
    def closed_groups(self) -> frozenset[int]:
        """Return the closed groups that statuses are for."""
        fields = [one.by_name() for one in self.statuses.values()]
        closed = (one for one in fields if one.get("visibility") == Visibility.GROUP.value)
        return frozenset(int(one.get("group", 0)) for one in closed)


NO_SUBJECTS = _Subjects({}, {}, {}, {}, {}, {})


@dataclass(frozen=True, slots=True)
class LoadedGroups:
    """Groups of entries, and the data that they refer to."""

    relationship: Relationship
    groups: Sequence[Sequence[Entry]]
    unread: set[str]
    subjects: _Subjects

    def shown(self, db: Db) -> tuple[NotificationGroup, ...]:
        """Return the groups that the viewer may see. One trip if any is about a closed group."""
        gids = db.read(memberships(self.relationship.viewer, self.subjects.closed_groups))
        known = replace(self.relationship, groups=gids)
        built = (_build_group(one, known, self.subjects, self.unread) for one in self.groups)
        return tuple(group for group in built if group)


def loaded(
    relationship: Relationship, groups: Sequence[Sequence[Entry]], unread: set[str]
) -> Read[LoadedGroups]:
    """Read the members, statuses and messages of groups. It has no commands without groups.

    `relationship` is the viewer's with all actors; `unread` holds the texts of unread entries.
    """
    subjects = _subjects(relationship.viewer, groups) if groups else constant(NO_SUBJECTS)
    return subjects.map(lambda found: LoadedGroups(relationship, groups, unread, found))


def _subjects(viewer: int, groups: Sequence[Sequence[Entry]]) -> Read[_Subjects]:
    listed = [entry for group in groups for entry in group[:GROUP_MEMBERS_SHOWN]]
    status_ids = sorted({group[0].subject for group in groups if group[0].subject})
    messages = [group[0].chat_message for group in groups if group[0].chat_message]
    drafts, bots = (
        [group[0].own for group in groups if group[0].kind.about_own == about]
        for about in ("draft", "webhook")
    )
    gids = [group[0].own for group in groups if group[0].kind.about_group]
    return gather(
        accounts.get_many(sorted({viewer, *(entry.actor for entry in listed)})),
        collect(map(stored_status, status_ids)),
        collect(chat_mention(viewer, message) for message in messages),
        collect(_failed_draft(viewer, subject) for subject in drafts),
        collect(map(_unreachable_bot, bots)),
        collect(_group_name(int(gid)) for gid in gids),
    ).map(
        lambda loaded: _Subjects(
            members=loaded[0],
            statuses=dict(zip(status_ids, loaded[1], strict=True)),
            mentions=dict(zip(messages, loaded[2], strict=True)),
            drafts=dict(zip(drafts, loaded[3], strict=True)),
            bots=dict(zip(bots, loaded[4], strict=True)),
            groups=dict(zip(gids, loaded[5], strict=True)),
        )
    )


def _failed_draft(viewer: int, subject: str) -> Read[Draft | None]:
    """Read a draft that could not be posted, None once it was saved again, posted or deleted."""
    form_key, _, saved_ms = subject.partition(":")
    return draft(viewer, form_key).map(
        lambda found: found if found and found.error_code and found.saved_ms == saved_ms else None
    )


def _unreachable_bot(subject: str) -> Read[Member | None]:
    """Read a bot whose webhook failed, None once a message arrived or its address was changed."""
    uid, _, failed_ms = subject.partition(":")
    failed = read(("HGET", bot_keys.webhook(int(uid)), "failed"), str)
    return gather(accounts.get(int(uid)), failed).map(
        lambda found: found[0] if found[1] == failed_ms else None
    )


def _group_name(gid: int) -> Read[str | None]:
    """Read the name of a group of members, None once it is closed."""
    return read(("HGET", group_keys.group(gid), "name"), lambda name: name)


def _build_group(
    entries: Sequence[Entry], relationship: Relationship, subjects: _Subjects, unread: set[str]
) -> NotificationGroup | None:
    """Return a group, None if its members or its subject are gone or hidden."""
    newest = entries[0]
    actors = [subjects.members.get(entry.actor) for entry in entries[:GROUP_MEMBERS_SHOWN]]
    members = tuple(member for member in actors if member and not member.suspended)
    status = _status(newest, relationship, subjects)
    mention = subjects.mentions.get(newest.chat_message)
    failed_draft, bot = subjects.drafts.get(newest.own), subjects.bots.get(newest.own)
    # Acts of moderators have numbers, too.
    group = subjects.groups.get(newest.own) if newest.kind.about_group else None
    # Others are on a page of their own.
    is_loaded = newest.kind.about_own in ("draft", "webhook") or newest.kind.about_group
    has_subject = newest.subject or newest.chat_message or is_loaded
    if not members or (has_subject and not (status or mention or failed_draft or bot or group)):
        return None
    missing = len(actors) - len(members)
    return NotificationGroup(
        kind=newest.kind,
        members=members,
        count=len(entries) - missing if len(members) > 1 else 1,
        status=status,
        chat_mention=mention,
        draft=failed_draft,
        bot=bot,
        newest_us=newest.created_us,
        has_unread=any(entry.text in unread for entry in entries),
        own=newest.own,
        invited_to=group or "",
    )


def _status(entry: Entry, relationship: Relationship, subjects: _Subjects) -> Status | None:
    """Return the status that an entry is about, if the viewer may see it."""
    if not entry.subject:
        return None
    author_uid = relationship.viewer if entry.kind.about_own_status else entry.actor
    author = subjects.members.get(author_uid)
    status = subjects.statuses[entry.subject].with_author(author)
    return status if status and relationship.may_see_status(status) else None
