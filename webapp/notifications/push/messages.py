"""The words of messages to devices, in each device's language."""

from collections.abc import Sequence
from dataclasses import dataclass

import orjson
from babel.support import NullTranslations

from webapp.core.i18n.catalogs import SOFTWARE, preview, site_catalog
from webapp.core.i18n.formatting import fill_in_who
from webapp.core.media.storage import avatar_path
from webapp.core.net.web_push import PushMessage
from webapp.notifications.groups import NotificationGroup
from webapp.notifications.kinds import CLIENT_TYPES, GATHERED
from webapp.timelines.page_invalidation.paths import profile_path, status_path

from .content import Content
from .queue import Push

NOTIFICATIONS_PATH = "/notifications"
DRAFTS_PATH = "/drafts"
GROUPS_PATH = "/groups"
BOTS_PATH = "/settings/bots"
SETTINGS_PATH = "/settings/notifications"
MESSAGES_MAX = 3  # of one claim; more notifications are one summary
TITLE_MAX, BODY_MAX = 120, 300  # characters
TTL_SECONDS = 86_400  # how long a push service keeps a message
TEST_TTL_SECONDS = 300


@dataclass(frozen=True, slots=True)
class _Words:
    """A message before it is encoded. A device replaces one with the same `tag`, silently."""

    title: str
    body: str
    path: str
    tag: str


def messages(content: Content, lane: str, locale: str, site_name: str) -> list[PushMessage]:
    """Return the messages about notifications. They are far below the 4,096 bytes of services."""
    catalog, groups = site_catalog(locale, site_name), content.groups
    urgency = "low" if lane == GATHERED else "normal"
    if len(groups) > MESSAGES_MAX:
        words = [_summary(catalog, groups, lane)]
    else:
        words = [_words(catalog, group, content) for group in groups]
    return [_encode(one, locale, TTL_SECONDS, urgency) for one in words]


def app_messages(content: Content, push: Push, token: str, site_name: str) -> list[PushMessage]:
    """Return the messages for an app, one for each notification, as Mastodon's apps read them."""
    catalog = site_catalog(push.locale, site_name)
    return [_app_message(catalog, group, content, push, token) for group in content.groups]


def _app_message(
    catalog: NullTranslations, group: NotificationGroup, content: Content, push: Push, token: str
) -> PushMessage:
    actor = group.members[0]
    title = fill_in_who(_translated(catalog, group.sentence), actor.name)
    payload = {
        "access_token": token,
        "preferred_locale": push.locale.replace("_", "-"),
        "notification_id": group.newest_us,
        "notification_type": CLIENT_TYPES[group.kind.name],
        "icon": f"{push.site_url}{avatar_path(actor.uid, actor.avatar)}",
        "title": title[:TITLE_MAX],
        "body": _body(catalog, group, content)[:BODY_MAX],
    }
    return PushMessage(orjson.dumps(payload), TTL_SECONDS, "normal", "", group.newest_us)


def trial_message(locale: str, site_name: str) -> PushMessage:
    """Return the message that a member asks for to see whether a device gets any."""
    body = site_catalog(locale, site_name).ugettext("Notifications work on this device.")
    words = _Words(site_name, body, SETTINGS_PATH, "test")
    return _encode(words, locale, TEST_TTL_SECONDS, "high")


def _summary(catalog: NullTranslations, groups: Sequence[NotificationGroup], lane: str) -> _Words:
    count = sum(group.count for group in groups)
    sentence = catalog.ungettext("%(count)s new notification", "%(count)s new notifications", count)
    name, body = _translated(catalog, SOFTWARE), sentence % {"count": count}
    return _Words(name, body, NOTIFICATIONS_PATH, f"summary-{lane}")


def _words(catalog: NullTranslations, group: NotificationGroup, content: Content) -> _Words:
    path = _path(group)
    tag = f"{group.kind.name}:{path}"
    if not content.shows_content:
        sentence = group.sentence if group.kind.about_own else group.kind.anonymous
        return _Words(_translated(catalog, SOFTWARE), _translated(catalog, sentence), path, tag)
    sentence = fill_in_who(_translated(catalog, group.sentence), _names(catalog, group))
    return _Words(sentence[:TITLE_MAX], _body(catalog, group, content)[:BODY_MAX], path, tag)


def _body(catalog: NullTranslations, group: NotificationGroup, content: Content) -> str:
    """Return the text of the status, draft or message, "" if a filter covers it."""
    if status := group.status:
        if content.filter_set.warning_for(status):
            return ""
        return preview(catalog, status.text, status.cw, len(status.pictures))
    if draft := group.draft:
        return preview(catalog, draft.fields.get("text", ""), "", len(draft.pictures))
    if group.bot:
        return f"@{group.bot.login}"
    if group.invited_to:
        return group.invited_to
    mention = group.chat_mention
    return f"{mention.name}: {mention.text}" if mention else ""


def _names(catalog: NullTranslations, group: NotificationGroup) -> str:
    """Return the names of a group's members: "A, B and 12 others"."""
    names = [member.name for member in group.members]
    if group.count == 1 or len(names) == 1:
        return names[0]
    if group.count == 2:
        return str(catalog.ugettext("%(a)s and %(b)s") % {"a": names[0], "b": names[1]})
    others = group.count - 2
    sentence = catalog.ungettext(
        "%(a)s, %(b)s and %(num)s other", "%(a)s, %(b)s and %(num)s others", others
    )
    return str(sentence % {"a": names[0], "b": names[1], "num": others})


def _path(group: NotificationGroup) -> str:
    """Return the path of a group's subject."""
    if group.status:
        return status_path(group.status.author.login, group.status.id)
    if group.chat_mention:
        cid, message_id = group.chat_mention.cid, group.chat_mention.message_id
        return f"/chats/{cid}?around={message_id}#m{message_id}"
    if group.draft:
        return f"{DRAFTS_PATH}/{group.draft.form_key}"
    if group.bot:
        return f"{BOTS_PATH}/{group.bot.login}"
    if group.invited_to:
        return f"{GROUPS_PATH}/{group.own}"
    if group.kind.name == "follow" and group.count == 1:
        return profile_path(group.members[0].login)
    return group.kind.path or NOTIFICATIONS_PATH


def _translated(catalog: NullTranslations, sentence: object) -> str:
    """Return a lazy sentence from a catalogue. Outside of requests it is English, its key."""
    return str(catalog.ugettext(str(sentence)))


def _encode(words: _Words, locale: str, ttl: int, urgency: str) -> PushMessage:
    payload = {
        "title": words.title,
        "body": words.body,
        "url": words.path,
        "tag": words.tag,
        "lang": locale.replace("_", "-"),
    }
    return PushMessage(orjson.dumps(payload), ttl, urgency, words.tag)
