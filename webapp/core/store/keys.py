"""The whole key schema: one builder a key, the only place where a key is spelled.

A key is `noun:{tag}:id:facet`. The tag puts all that one member owns into one partition (`uid % 64`), so that one
script can change it at once, on a Cluster too. `docs/data-layout.md` is written from these docstrings: their first
line says what the key holds; then come its type and members, its bound or life time, and who writes it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ParamSpec
from zlib import crc32

from .ids import PARTITIONS, partition_of

P = ParamSpec("P")

# Short strings whose hash slot is 256p + 128: the 64 partitions stand at even distances in the 16,384 slots, so any
# number of primaries with contiguous ranges gets an even share of them.
PARTITION_TAGS = (
    "53t j3j if5 kec 574 74b akm 6bk 96a frw 0ip oin d1i 38o 0m0 xw "
    "he6 box 40w c9q hav 7ah 447 67a 1js fcu 0xr m5 1n3 3me e2j iu "
    "712 52d cmk 4dm 75r h5l 02bb ice 3y7 1za 2k6 8ax wu7 931 yg 8e8 "
    "7d8 5gn 621 41g jc0 qkn 66q i6o 3h5 1kc 2z4 0yb 3lu des he 802"
).split()
PUBLIC_TAG, LOG_TAG, REPORTS_TAG, PAGES_TAG = "public", "log", "reports", "pages"  # tags of what belongs to nobody


@dataclass(frozen=True, slots=True)
class KeySpec:
    """What the schema says of one key: `shape` as in the documents, `pattern` to match live keys with."""

    name: str
    shape: str
    doc: str

    @property
    def pattern(self) -> re.Pattern[str]:
        parts = re.split(r"(<\w+>)", self.shape)
        return re.compile("".join("[^:{}]+" if part.startswith("<") else re.escape(part) for part in parts) + r"\Z")


SCHEMA: list[KeySpec] = []


def key(shape: str) -> Callable[[Callable[P, str]], Callable[P, str]]:
    """Enters a builder into the schema under its shape, such as `user:{<tag>}:<uid>`."""

    def register(builder: Callable[P, str]) -> Callable[P, str]:
        SCHEMA.append(KeySpec(builder.__name__, shape, builder.__doc__ or ""))
        return builder

    return register


def partition_tag(number: int) -> str:
    """The hash tag of the partition of a member id or status id."""
    return PARTITION_TAGS[partition_of(number)]


def member_key(shape: str, uid: int, *facets: Any) -> str:
    """A key of one member, in the member's partition."""
    name = f"{shape}:{{{PARTITION_TAGS[uid % PARTITIONS]}}}:{uid}"
    return ":".join((name, *map(str, facets))) if facets else name


# The site


@key("schema")
def schema_version() -> str:
    """What data this store holds, as `linnet:<version>`; anything else is refused.

    string · no bound: one value · written by `core/store/connection.py` at the first start
    """
    return "schema"


@key("uids")
def last_uid() -> str:
    """The last member id given out. Ids are dense; gaps are fine.

    string (counter) · no bound: one value · written by `accounts/store.py`
    """
    return "uids"


@key("workers")
def workers() -> str:
    """The live workers, so that they share the partitions evenly.

    zset: `host:pid` → last beat, unix seconds · silent ones removed after LEASE_SECONDS · written by `core/events/lua/heartbeat.lua`
    """
    return "workers"


@key("login:{<name>}")
def login(name: str) -> str:
    """Whose name this is. A claim without an account may be taken over after 60 s.

    string `uid:ms` (when it was claimed) · kept while the account exists · written by `accounts/lua/claim_login.lua`
    """
    return f"login:{{{name.lower()}}}"


@key("limit:{<who>}:<act>")
def rate_limit(act: str, subject: str) -> str:
    """A rate limit's leaky bucket (GCRA): the time at which it is empty again.

    string, unix microseconds · expires when empty · written by `core/web/lua/rate_limit.lua`
    """
    return f"limit:{{{subject}}}:{act}"


@key("limit:{<tag>}:<uid>:<act>")
def post_rate_limit(uid: int) -> str:
    """The same for a member's posts, which the script that posts looks at.

    string, unix microseconds · expires when empty · written by `statuses/lua/post.lua`
    """
    return member_key("limit", uid, "post")


# A member


@key("user:{<tag>}:<uid>")
def user(uid: int) -> str:
    """A member: `login`, `name`, `joined` (unix ms), `avatar`, `header` (names of pictures), `bio`, `bio_entities`
    (JSON), `location`, `website`; `bot` (the uid of its owner, where it is one); `epoch` (grows whenever sign-ins must
    be proved anew), `suspended` (unix ms), `rights` (words), `pulled` = 1 once merged at read time (sticky);
    `protected` = 1 where only accepted followers see what they write; `notify:<kind>` (followed or nobody) where that
    is not everyone; `quoting` (`f` followers, `n` nobody), who may quote them, where that is not everyone; `lists`, the
    number of the last list made; `filters`, of the last filter. After the account is deleted: `removed` (unix ms)
    alone.

    hash · kept while the account exists, and NAME_KEPT_DAYS after · written by `accounts/*.lua`,
    `timelines/fanout/projections.py`, `notifications/lua/set_preferences.lua`, `lists/lua/create.lua`,
    `statuses/filters/lua/save_filter.lua`
    """
    return member_key("user", uid)


@key("password:{<tag>}:<uid>")
def password(uid: int) -> str:
    """The member's password as an argon2id hash, apart from the user hash so that no page can show it.

    string · kept while the account exists · written by `accounts/lua/create.lua`, and at sign-in when the cost has changed
    """
    return member_key("password", uid)


@key("session:{<tag>}:<sha>")
def session(uid: int, sha: str) -> str:
    """A signed-in browser, under the SHA-256 of its token: `uid`, `created`, `seen` (unix seconds), `address`,
    `agent` (both as last seen).

    hash · expires SESSION_DAYS after it was last seen · written by `accounts/lua/start_session.lua`, `accounts/lua/load_session.lua`
    """
    return f"session:{{{partition_tag(uid)}}}:{sha}"


@key("sessions:{<tag>}")
def sessions(partition: int) -> str:
    """The partition's sessions by when they were last seen, to remove the least recent.

    zset: sha → unix seconds · SESSIONS_MAX / 64, trimmed by a periodic job · written by `accounts/*session*.lua`
    """
    return f"sessions:{{{PARTITION_TAGS[partition]}}}"


@key("signins:{<tag>}:<uid>")
def member_sessions(uid: int) -> str:
    """One member's sessions by when they were last seen.

    zset: sha → unix seconds · MEMBER_SESSIONS_MAX; expires with the last of them · written by `accounts/*session*.lua`
    """
    return member_key("signins", uid)


@key("token:{<tag>}:<sha>")
def token(uid: int, sha: str) -> str:
    """An access token for scripts, under its SHA-256: `uid`, `name`, `created`, `used` (unix seconds).

    hash · kept until it is revoked · written by `accounts/*token*.lua`
    """
    return f"token:{{{partition_tag(uid)}}}:{sha}"


@key("tokens:{<tag>}:<uid>")
def tokens(uid: int) -> str:
    """One member's access tokens.

    zset: sha → when it was made, unix seconds · TOKENS_MAX · written by `accounts/*token*.lua`
    """
    return member_key("tokens", uid)


@key("app:{<tag>}:<uid>:<id>")
def app(uid: int, app_id: str) -> str:
    """An app of a member (OAuth 1.0a), whose consumer key is `uid-id`: `name`, `token` (its access token), `secrets`
    (of both, sealed with SECRET_KEY), `created`, `used` (unix seconds).

    hash · kept until it is revoked · written by `accounts/*app*.lua`
    """
    return member_key("app", uid, app_id)


@key("apps:{<tag>}:<uid>")
def apps(uid: int) -> str:
    """One member's apps.

    zset: id → when it was made, unix seconds · APPS_MAX · written by `accounts/*app*.lua`
    """
    return member_key("apps", uid)


@key("nonce:{<tag>}:<uid>:<id>:<hash>")
def nonce(uid: int, app_id: str, digest: str) -> str:
    """A signed request that an app has made (`<hash>` is that of its timestamp and nonce), so that nobody repeats it.

    string · expires when its timestamp would be refused anyway · written by `accounts/tokens/lua/authenticate_app.lua`
    """
    return member_key("nonce", uid, app_id, digest)


@key("suspended:{<tag>}")
def suspended_members(partition: int) -> str:
    """The suspended members, copied to each partition for the script that reads homes there.

    set of uid · no bound: one a suspended member · written by `timelines/account_projections.py`
    """
    return f"suspended:{{{PARTITION_TAGS[partition]}}}"


@key("invites")
def invites() -> str:
    """The invitations that are still valid.

    zset: code → when it expires, unix seconds · expired ones go when another is made · written by
    `accounts/invites.py`
    """
    return "invites"


@key("invite:{<code>}")
def invite_places(code: str) -> str:
    """How many may come with an invitation.

    string (number) · expires with the invitation · written by `accounts/invites.py`
    """
    return f"invite:{{{code}}}"


@key("invited:{<code>}")
def invite_redemptions(code: str) -> str:
    """Who came with an invitation. A place whose account was never made is given to the next after 60 s.

    zset: uid → when it was taken, unix ms · as many as may come; expires with it · written by
    `accounts/lua/redeem_invite.lua`
    """
    return f"invited:{{{code}}}"


# Statuses


@key("lastid:{<tag>}")
def last_status_id(partition: int) -> str:
    """The newest status id of the partition: the next one is later even when the clock steps back.

    string · no bound: one value · written by `statuses/lua/post.lua`, `statuses/interactions/lua/boost.lua`
    """
    return f"lastid:{{{PARTITION_TAGS[partition]}}}"


@key("status:{<tag>}:<id>")
def status(status_id: int) -> str:
    """A status: `author` (uid), `text`, `entities` (JSON: [kind, text, start, end] each), `lang` (BCP 47); `lat`,
    `long` (degrees), `place` (a name) and `cw` (a warning) where its author said so; `media` (JSON: [name, width,
    height, alternative text, colours, focus] each) where it has pictures; `edited` (unix ms) where it was; `pinned`, 1
    where it is; `likes`, `replies`, `boosts`, `quotes`, how many there are, where there are any; `quote` and `quoted`,
    what it quotes and the uid of whose that is; `quoting`, who may quote it, as in `user`, where that is not everyone;
    `poll` (JSON: [options, minutes, 1 for several choices]), which begins with the status, and `tally` (how often each
    option was chosen, and by how many). Unless everybody may reply: `may` (`f` whom the thread's author follows, `m`
    whom its first post names; that author's uid, and those of whom it names). Of a reply: `reply` (the answered
    status), `to` and `to_login` (its author's uid and name), `above` (the 21 statuses above it at most, as in
    `thread`). Unless it is public: `vis` (`u` unlisted, `f` followers, `m` mentioned) and, for the latter two, `who`
    (the uids of whom it names or answers, a blank around each).

    hash · kept until its author deletes it · written by `statuses/lua/post.lua`, `statuses/lua/delete.lua`,
    `statuses/attachments/lua/remove_locations.lua`, `statuses/interactions/lua/sync_interaction.lua`, `statuses/threads/lua/sync_reply.lua`, `statuses/polls/lua/sync_vote.lua`,
    `statuses/quotes/lua/sync_quote.lua`, `statuses/edits/lua/edit.lua`, `statuses/edits/lua/pin.lua`, `statuses/edits/lua/unpin.lua`,
    `statuses/visibility/lua/set_quote_policy.lua`
    """
    return member_key("status", status_id)


def status_prefix(uid: int) -> str:
    """The common beginning of the status keys in a member's partition, for scripts that make ids or list them."""
    return f"status:{{{partition_tag(uid)}}}:"  # a script derives only keys of its own partition from it


@key("versions:{<tag>}:<id>")
def status_versions(status_id: int) -> str:
    """What a status said before it was edited, the oldest first: JSON of its `text`, `entities`, `lang` and `cw`, and
    `at`, when it began to say so (unix ms, nothing for the first).

    list · EDITS_MAX; goes with the status · written by `statuses/edits/lua/edit.lua`, `statuses/lua/delete.lua`,
    `statuses/lua/purge_deleted_account.lua`
    """
    return member_key("versions", status_id)


def status_versions_prefix(uid: int) -> str:
    """The common beginning of the versions in a member's partition, for the script that lists status ids."""
    return f"versions:{{{partition_tag(uid)}}}:"


@key("profile:{<tag>}:<uid>")
def profile_statuses(uid: int) -> str:
    """A member's own statuses, without replies to others.

    zset: id → id · no bound: it is the index of what the member wrote · written by `statuses/lua/post.lua`,
    `statuses/lua/delete.lua`, `statuses/lua/purge_deleted_account.lua`
    """
    return member_key("profile", uid)


@key("replied:{<tag>}:<uid>")
def profile_replies(uid: int) -> str:
    """A member's replies to others, each with the uid of who is answered.

    zset: `id:to` → id · no bound: it is the index of what the member wrote · written by `statuses/lua/post.lua`,
    `statuses/lua/delete.lua`, `statuses/lua/purge_deleted_account.lua`
    """
    return member_key("replied", uid)


@key("pinned:{<tag>}:<uid>")
def pinned_statuses(uid: int) -> str:
    """Which of their own statuses a member has pinned to the profile.

    zset: status id → unix ms, made unique · PINNED_MAX · written by `statuses/edits/lua/pin.lua`, `statuses/edits/lua/unpin.lua`,
    `statuses/lua/delete.lua`, `statuses/lua/purge_deleted_account.lua`
    """
    return member_key("pinned", uid)


FOLLOWERS_AUDIENCE = "followers"


@key("limited:{<tag>}:<uid>:<audience>")
def restricted_statuses(uid: int, audience: int | str) -> str:
    """Those of a member's statuses that not everybody may see, for each audience: the `followers`, whom each names or
    answers (by uid), and their author, for whom it holds them all. They are neither in `profile` nor in `replied`.

    zset: `id`, or `id:to` of a reply to another → id · no bound: it is the index of what the member wrote · written by
    `statuses/lua/post.lua`, `statuses/lua/delete.lua`, `statuses/lua/purge_deleted_account.lua`
    """
    return member_key("limited", uid, audience)


def restricted_statuses_prefix(uid: int) -> str:
    """The common beginning of these, to which scripts add the audience."""
    return restricted_statuses(uid, "")


def authored_lists(uid: int) -> tuple[str, str, str]:
    """The lists that hold all that a member wrote, each once."""
    return profile_statuses(uid), profile_replies(uid), restricted_statuses(uid, uid)


@key("posted:{<tag>}:<uid>:<form>")
def post_idempotency(uid: int, digest: str) -> str:
    """The status that a form's key and text have made (`<form>` is their hash), so that a retried post is one status.

    string id · POST_KEY_HOURS · written by `statuses/lua/post.lua`
    """
    return member_key("posted", uid, digest)


@key("filed:{<tag>}:<uid>")
def tag_index(uid: int) -> str:
    """Under which hashtags the statuses of a member are filed, so that they can be taken out again.

    zset: `id:name` → id · the newest 20,000; goes with the account · written by `timelines/lua/publish.lua`
    """
    return member_key("filed", uid)


@key("liked:{<tag>}:<uid>")
def member_likes(uid: int) -> str:
    """What a member likes: the truth about a like. A status that is gone stays on it, unseen, until it is the oldest.

    zset: status id → unix ms, made unique · LIKES_MAX, the oldest goes · written by `statuses/interactions/lua/like.lua`,
    `statuses/interactions/lua/unlike.lua`, `statuses/interactions/like_projections.py`
    """
    return member_key("liked", uid)


@key("likes:{<tag>}:<id>")
def likers(status_id: int) -> str:
    """Who likes a status, projected from the members' own lists.

    zset: uid → unix ms, made unique · no bound: as many as choose to like it; goes with the status · written by
    `statuses/interactions/lua/sync_interaction.lua`, `statuses/lua/delete.lua`, `statuses/lua/purge_deleted_account.lua`
    """
    return member_key("likes", status_id)


def likers_prefix(uid: int) -> str:
    """The common beginning of the lists of likes in a member's partition, for scripts that make or list status ids."""
    return f"likes:{{{partition_tag(uid)}}}:"


@key("boosts:{<tag>}:<uid>")
def member_boosts(uid: int) -> str:
    """What a member boosts: the truth about a boost. Its id is made like that of a status, and sorts among them.

    zset: `status:author` → id of the boost · BOOSTS_MAX, the oldest goes · written by `statuses/interactions/lua/boost.lua`,
    `statuses/interactions/lua/unboost.lua`, `statuses/interactions/lua/drop_boost.lua`, `statuses/interactions/boost_projections.py`
    """
    return member_key("boosts", uid)


@key("boosters:{<tag>}:<id>")
def boosters(status_id: int) -> str:
    """Who boosts a status, projected from the members' own lists.

    zset: uid → id of the boost, made unique · no bound: as many as choose to boost it; goes after the status, once
    their lists say nothing of it · written by `statuses/interactions/lua/sync_interaction.lua`, `statuses/interactions/boost_projections.py`
    """
    return member_key("boosters", status_id)


@key("replies:{<tag>}:<id>")
def replies(status_id: int) -> str:
    """The replies to a status.

    zset: id → id; below zero for a reply that is for followers to what is for everybody, which counts only while who
    wrote that is protected · no bound: as many as choose to answer; goes with the status · written by
    `statuses/threads/lua/sync_reply.lua`, `statuses/lua/delete.lua`, `statuses/lua/purge_deleted_account.lua`
    """
    return member_key("replies", status_id)


def replies_prefix(uid: int) -> str:
    """The common beginning of the lists of replies in a member's partition, for the script that erases."""
    return f"replies:{{{partition_tag(uid)}}}:"


@key("thread:{<tag>}:<id>")
def thread(status_id: int) -> str:
    """All that hangs below a status, ten levels down: of each reply the way to it, `id.author` with `/` between, ids
    of 16 digits. In their own order that is depth first, the oldest first.

    zset: way → 0 · no bound: as many as choose to answer; goes with the status · written by
    `statuses/threads/lua/sync_reply.lua`, `statuses/lua/delete.lua`, `statuses/lua/purge_deleted_account.lua`
    """
    return member_key("thread", status_id)


def thread_prefix(uid: int) -> str:
    """The common beginning of the threads in a member's partition, for the script that erases."""
    return f"thread:{{{partition_tag(uid)}}}:"


@key("voted:{<tag>}:<uid>")
def member_votes(uid: int) -> str:
    """What a member chose in polls: the truth about a vote, which is given once. Bits say which options, the first 1.

    hash: status id → bits · VOTED_MAX; at that, what is older than any poll lasts goes · written by
    `statuses/polls/lua/vote.lua`, `statuses/polls/projections.py`
    """
    return member_key("voted", uid)


@key("votes:{<tag>}:<id>")
def votes(status_id: int) -> str:
    """Who voted in a status's poll, projected from the members' own records. Nobody is shown it. Whoever deletes their
    account is taken out, and stays counted.

    hash: uid → bits, as in `voted` · no bound: as many as choose to vote; goes with the status · written by
    `statuses/polls/lua/sync_vote.lua`, `statuses/lua/delete.lua`, `statuses/lua/purge_deleted_account.lua`
    """
    return member_key("votes", status_id)


def votes_prefix(uid: int) -> str:
    """The common beginning of the votes in a member's partition, for the script that erases."""
    return f"votes:{{{partition_tag(uid)}}}:"


@key("tallied:{<tag>}:<id>")
def tally_throttle(status_id: int) -> str:
    """That open pages were told less than a second ago that a poll has other numbers.

    string · expires after a second · written by `streaming/log/projections.py`
    """
    return member_key("tallied", status_id)


@key("ending:{<tag>}")
def poll_deadlines(partition: int) -> str:
    """The polls of a partition that have not ended.

    zset: status id → when it ends, unix ms · one entry a poll that runs, a week long at most · written by
    `statuses/lua/post.lua`, `statuses/polls/lua/end_poll.lua`, `statuses/lua/delete.lua`, `statuses/lua/purge_deleted_account.lua`
    """
    return f"ending:{{{PARTITION_TAGS[partition]}}}"


@key("quotes:{<tag>}:<id>")
def quotes(status_id: int) -> str:
    """The quotes of a status that everybody may see.

    zset: `id:author` → id · no bound: as many as choose to quote it; goes with the status · written by
    `statuses/quotes/lua/sync_quote.lua`, `statuses/lua/delete.lua`, `statuses/lua/purge_deleted_account.lua`
    """
    return member_key("quotes", status_id)


def quotes_prefix(uid: int) -> str:
    """The common beginning of the lists of quotes in a member's partition, for the script that erases."""
    return f"quotes:{{{partition_tag(uid)}}}:"


@key("detached:{<tag>}:<id>")
def detached_quotes(status_id: int) -> str:
    """The quotes in which a status is not shown, as its author wishes: the truth about that.

    zset: id of the quote → unix ms · DETACHED_MAX; a quote that is deleted goes · written by `statuses/quotes/lua/detach.lua`,
    `statuses/quotes/lua/reattach.lua`, `statuses/quotes/lua/sync_quote.lua`, `statuses/lua/delete.lua`, `statuses/lua/purge_deleted_account.lua`
    """
    return member_key("detached", status_id)


def detached_quotes_prefix(uid: int) -> str:
    """The common beginning of these in a member's partition, for the script that erases."""
    return f"detached:{{{partition_tag(uid)}}}:"


@key("acted:{<tag>}:<uid>")
def recent_interactions(uid: int) -> str:
    """What a member has liked or boosted, or ceased to, or voted in within the last minute: whether it is counted yet
    is looked up.

    zset: status id → unix ms · what is older than a minute goes; expires a minute after the last · written by
    `statuses/*like.lua`, `statuses/*boost.lua`, `statuses/polls/lua/vote.lua`
    """
    return member_key("acted", uid)


@key("bookmarks:{<tag>}:<uid>")
def bookmarks(uid: int) -> str:
    """What a member has bookmarked. Nobody else is shown it, and nobody is told.

    zset: status id → unix ms, made unique · BOOKMARKS_MAX · written by `statuses/interactions/lua/bookmark.lua`,
    `statuses/interactions/bookmarks.py`, `statuses/interactions/like_projections.py`
    """
    return member_key("bookmarks", uid)


@key("draft:{<tag>}:<uid>:<form>")
def draft(uid: int, form_key: str) -> str:
    """A post that waits: `fields` (JSON: the fields of its form as they were left), `saved` (unix ms, made unique);
    `due` (unix ms) where it is to be posted then, or `failed` (a reason of `errors.SENTENCES`) where it could not be.

    hash · kept until it is posted or deleted · written by `statuses/drafts/lua/save_draft.lua`, `statuses/drafts/lua/delete_draft.lua`,
    `statuses/lua/post.lua`, `statuses/drafts/lua/fail_draft.lua`
    """
    return member_key("draft", uid, form_key)


@key("drafts:{<tag>}:<uid>")
def drafts(uid: int) -> str:
    """A member's posts that wait. Each is called by its form's key, so that a form that is sent twice is one draft.

    zset: form's key → when it was saved, unix ms, made unique · DRAFTS_MAX · written by `statuses/drafts/lua/save_draft.lua`,
    `statuses/drafts/lua/delete_draft.lua`, `statuses/lua/post.lua`
    """
    return member_key("drafts", uid)


@key("uploads:{<tag>}")
def uploads(partition: int) -> str:
    """The pictures of a partition's members that no status shows, not yet or not any more, so that their files can go.

    zset: name → when it was sent, unix ms; 0 when its files are to go at once · LIMIT_PICTURES in ten minutes and what
    was deleted since the last look · written by `statuses/attachments/lua/stage.lua`, `statuses/lua/post.lua`, `statuses/lua/delete.lua`,
    `statuses/attachments/lua/collect_stale.lua`, `statuses/attachments/staging.py`
    """
    return f"uploads:{{{PARTITION_TAGS[partition]}}}"


@key("later:{<tag>}")
def scheduled_posts(partition: int) -> str:
    """The posts of a partition that wait for their time.

    zset: uid:form's key → when it is due, unix ms · at most DRAFTS_MAX a member · written by
    `statuses/drafts/lua/save_draft.lua`, `statuses/drafts/lua/delete_draft.lua`, `statuses/lua/post.lua`, `statuses/drafts/lua/fail_draft.lua`
    """
    return f"later:{{{PARTITION_TAGS[partition]}}}"


# Following


@key("following:{<tag>}:<uid>")
def following(uid: int) -> str:
    """Whom a member follows: the truth about a follow.

    zset: uid → unix µs, made unique · FOLLOWING_MAX · written by `following/*follow.lua`, `following/*block.lua`,
    `following/requests/lua/resolve_request.lua`
    """
    return member_key("following", uid)


@key("followers:{<tag>}:<uid>")
def followers(uid: int) -> str:
    """Who follows a member, projected from the followers' own lists.

    zset: uid → unix µs, made unique · no bound: as many as choose to follow · written by `following/lua/sync_follower.lua`,
    `following/requests/lua/remove_follower.lua`
    """
    return member_key("followers", uid)


@key("requested:{<tag>}:<uid>")
def sent_follow_requests(uid: int) -> str:
    """Whom a member has asked to follow and who has not answered yet: the truth about a request.

    zset: uid → unix ms, made unique · REQUESTS_MAX · written by `following/lua/follow.lua`, `following/lua/unfollow.lua`,
    `following/*block.lua`, `following/lua/revoke_follow.lua`, `following/requests/lua/resolve_request.lua`
    """
    return member_key("requested", uid)


@key("requests:{<tag>}:<uid>")
def follow_requests(uid: int) -> str:
    """Who asks to follow a member, projected from the askers' own lists, until the member answers.

    zset: uid → unix ms, made unique · REQUESTS_MAX · written by `following/requests/lua/sync_request.lua`,
    `following/requests/lua/answer_request.lua`
    """
    return member_key("requests", uid)


@key("blocks:{<tag>}:<uid>")
def blocks(uid: int) -> str:
    """Whom a member blocks: the truth about a block.

    zset: uid → unix ms, made unique · BLOCKS_MAX · written by `following/blocks/lua/block.lua`, `following/blocks/lua/unblock.lua`
    """
    return member_key("blocks", uid)


@key("blockers:{<tag>}:<uid>")
def blockers(uid: int) -> str:
    """Who blocks a member, projected from the blockers' own lists. Nobody is shown it.

    zset: uid → unix ms · no bound: as many as choose to block · written by `following/blocks/lua/sync_blocker.lua`
    """
    return member_key("blockers", uid)


@key("mutes:{<tag>}:<uid>")
def mutes(uid: int) -> str:
    """Whom a member mutes: their statuses come into no timeline of the member's. Nobody else is told.

    zset: uid → until when, unix seconds, made unique (a hundred years ahead: until unmuted) · MUTES_MAX; those that are
    over go when another is made · written by `following/mutes/lua/mute.lua`, `following/mutes/lua/unmute.lua`, `following/mutes/store.py`
    """
    return member_key("mutes", uid)


@key("hushed:{<tag>}:<uid>")
def muted_notifications(uid: int) -> str:
    """Those of the muted whose notifications a member does not want either.

    zset: uid → until when, as in `mutes` · at most as many as are muted · written by `following/mutes/lua/mute.lua`,
    `following/mutes/lua/unmute.lua`, `following/mutes/store.py`
    """
    return member_key("hushed", uid)


@key("filters:{<tag>}:<uid>")
def filters(uid: int) -> str:
    """Words that a member does not want to read.

    hash: number → JSON: [words, whether they are whole words, the places where, until when (unix seconds, 0 for good),
    whether to hide] · FILTERS_MAX · written by `statuses/filters/lua/save_filter.lua`, `statuses/filters/store.py`
    """
    return member_key("filters", uid)


# Notifications


@key("notifications:{<tag>}:<uid>")
def notifications(uid: int) -> str:
    """What a member is told: what others did, in the order they were told.

    zset: `kind:by:subject` (uid of who did it, id of the status or 0) → unix µs, made unique · NOTIFICATIONS_MAX, the
    oldest goes · written by `notifications/lua/notify.lua`, `notifications/lua/remove.lua`
    """
    return member_key("notifications", uid)


@key("notifications:{<tag>}:<uid>:unread")
def unread_notifications(uid: int) -> str:
    """Those of them that were not shown yet.

    set of `kind:by:subject` · as `notifications` · written by `notifications/*.lua`
    """
    return member_key("notifications", uid, "unread")


@key("told:{<tag>}:<uid>")
def notified_members(uid: int) -> str:
    """Who was ever told of something that a member did: where to look when the account is deleted.

    set of uid · no bound: as many as one likes, follows or mentions · written by `notifications/lua/verify_source.lua`,
    `notifications/projections.py`
    """
    return member_key("told", uid)


# Timelines


@key("home:{<tag>}:<uid>")
def home(uid: int) -> str:
    """A home timeline. A reply to a third member names them as well; a boost names whose it is, and whose status it
    shows. The member `more` (score: minus the time of the newest cut, µs) says that older entries were left out.

    zset: `id:author`, `id:author:to` or `id:booster:author=status` → id · HOME_MAX + HOME_SLACK and a few; dropped
    HOME_DAYS after the last visit · written by `statuses/lua/post.lua`, `statuses/lua/delete.lua`, `statuses/*boost.lua`,
    `following/*.lua`, `timelines/*.lua`
    """
    return member_key("home", uid)


def following_prefix(partition: int) -> str:
    """The common beginning of a partition's lists of follows, for the script that delivers."""
    return f"following:{{{PARTITION_TAGS[partition]}}}:"


def home_prefix(partition: int) -> str:
    """The common beginning of a partition's home keys, for the scripts that deliver, remove and retire."""
    return f"home:{{{PARTITION_TAGS[partition]}}}:"


@key("active:{<tag>}")
def active_members(partition: int) -> str:
    """The members who get deliveries: those who came within HOME_DAYS. Below 0 for an hour or more after a
    rebuild or an unfollow: deliveries look at the member's own list of follows then.

    zset: uid → last visit, unix seconds · one entry an active member · written by `accounts/lua/create.lua`,
    `following/*.lua`, `timelines/*.lua`
    """
    return f"active:{{{PARTITION_TAGS[partition]}}}"


@key("pulled:{<tag>}")
def pull_authors(partition: int) -> str:
    """The authors with too many followers to push to, copied to each partition for the scripts that read homes there.

    set of uid · no bound: one a member above PUSH_MAX_FOLLOWERS, sticky · written by `timelines/fanout/projections.py`
    """
    return f"pulled:{{{PARTITION_TAGS[partition]}}}"


@key("public:{public}")
def public_timeline() -> str:
    """The public timeline.

    zset: `id:author` → id · PUBLIC_MAX · written by `timelines/lua/publish.lua`, `timelines/store.py`
    """
    return f"public:{{{PUBLIC_TAG}}}"


def hashtag_partition(name: str) -> int:
    """The partition of a hashtag, by its folded name."""
    return partition_of(crc32(name.encode()))


@key("tagged:{<tag>}:<name>")
def hashtag_statuses(name: str) -> str:
    """The public statuses with a hashtag, under its folded name (`text.tag_name`).

    zset: `id:author` → id · TAGGED_MAX · written by `timelines/lua/publish.lua`, `timelines/store.py`
    """
    return f"tagged:{{{PARTITION_TAGS[hashtag_partition(name)]}}}:{name}"


@key("tags:{<tag>}:<uid>")
def followed_tags(uid: int) -> str:
    """The hashtags a member follows, by their folded names.

    zset: name → unix ms, made unique · FOLLOWED_TAGS_MAX · written by `timelines/tags/lua/follow_tag.lua`,
    `timelines/tags/lua/unfollow_tag.lua`, `timelines/tags/projections.py`
    """
    return member_key("tags", uid)


# Lists


@key("lists:{<tag>}:<uid>")
def lists(uid: int) -> str:
    """The lists of a member. Their numbers are never used again.

    zset: number → number · LISTS_MAX · written by `lists/lua/create.lua`, `lists/lua/delete.lua`, `lists/projections.py`
    """
    return member_key("lists", uid)


@key("list:{<tag>}:<uid>:<number>")
def list_(uid: int, number: int) -> str:
    """A list of members: `name`, `private` (1: for nobody else), `exclusive` (1: what its members write stays out of
    its owner's home).

    hash · kept until its owner deletes it · written by `lists/lua/create.lua`, `lists/lua/update.lua`, `lists/lua/delete.lua`,
    `lists/projections.py`
    """
    return member_key("list", uid, number)


def list_prefix(partition: int) -> str:
    """The common beginning of the lists in a partition, to which scripts add `uid:number`."""
    return f"list:{{{PARTITION_TAGS[partition]}}}:"


@key("list_members:{<tag>}:<uid>:<number>")
def list_members(uid: int, number: int) -> str:
    """Who is on a list: the truth about it.

    zset: uid → unix µs, made unique · LIST_MEMBERS_MAX · written by `lists/lua/set_memberships.lua`, `lists/lua/delete.lua`,
    `lists/lua/remove_member.lua`, `lists/projections.py`
    """
    return member_key("list_members", uid, number)


def list_members_prefix(partition: int) -> str:
    """The common beginning of these in a partition, to which scripts add `uid:number`."""
    return f"list_members:{{{PARTITION_TAGS[partition]}}}:"


@key("list_home:{<tag>}:<uid>:<number>")
def list_home(uid: int, number: int) -> str:
    """The newest of what the members of a list have written and boosted, named as in `home`.

    zset: `id:author`, `id:author:to` or `id:booster:author=status` → id · LIST_HOME_MAX; dropped HOME_DAYS after the
    last look · written by `lists/*.lua`, `timelines/lua/expire_inactive.lua`, `lists/projections.py`
    """
    return member_key("list_home", uid, number)


def list_home_prefix(partition: int) -> str:
    """The common beginning of these in a partition, to which scripts add `uid:number`."""
    return f"list_home:{{{PARTITION_TAGS[partition]}}}:"


@key("active_lists:{<tag>}")
def active_lists(partition: int) -> str:
    """The lists that get deliveries: those looked at within HOME_DAYS. Below 0 where the timeline is to be built anew,
    because it was not kept or its members have changed.

    zset: `uid:number` → last look, unix seconds, or minus when that was found, with six decimals · one entry an active
    list · written by `lists/*.lua`, `lists/projections.py`, `timelines/lua/expire_inactive.lua`
    """
    return f"active_lists:{{{PARTITION_TAGS[partition]}}}"


@key("listers:{<tag>}:<uid>")
def listed_on(uid: int) -> str:
    """The lists that a member is on, projected from the lists' own members.

    zset: `owner:number` → unix µs, made unique · no bound: as many as choose to list them · written by
    `following/lua/sync_follower.lua`, `lists/projections.py`
    """
    return member_key("listers", uid)


@key("aside:{<tag>}:<uid>")
def home_excluded(uid: int) -> str:
    """Who is on an exclusive list of a member, and so out of their home.

    zset: uid → unix µs · LISTS_MAX × LIST_MEMBERS_MAX · written by `lists/*.lua`, `lists/projections.py`
    """
    return member_key("aside", uid)


# Chat. A group is named by a number, a direct chat by both members' ids, the smaller first: `3-17`.


def chat_partition(cid: str) -> int:
    """The partition of a chat: a group's number or the sum of a direct chat's two, modulo 64."""
    return sum(map(int, cid.split("-"))) % PARTITIONS


def _chat_key(cid: str, *facet: str) -> str:
    return ":".join((f"chat:{{{PARTITION_TAGS[chat_partition(cid)]}}}:{cid}", *facet))


@key("chats")
def last_chat_id() -> str:
    """The last number given to a group. Numbers are dense; gaps are fine.

    string (counter) · no bound: one value · written by `chat/members/membership.py`
    """
    return "chats"


@key("chat:{<tag>}:<cid>")
def chat(cid: str) -> str:
    """A chat: `kind` (private, open, announcement, direct), `name`, `topic`, `picture`, `shared` (1: newcomers see what
    was before), `keep` (history, or fetched: a message goes once all have fetched it), `created` (unix ms), `by` (uid),
    `last` (newest message id), `first` (oldest kept), `rev` (counts what happened to its messages), `told` (`rev` of
    the newest change forgotten), `last_at` (unix ms), `answered` (direct: 1 once both want it).

    hash · kept until its last member leaves or an owner deletes it · written by `chat/*.lua`
    """
    return _chat_key(cid)


@key("chat:{<tag>}:<cid>:members")
def chat_members(cid: str) -> str:
    """Who belongs to a chat, in the order they came.

    zset: uid → unix µs, made unique · CHAT_MEMBERS_MAX · written by `chat/*.lua`
    """
    return _chat_key(cid, "members")


@key("chat:{<tag>}:<cid>:owners")
def chat_owners(cid: str) -> str:
    """Who may change a chat.

    set of uid · as many as its members · written by `chat/*.lua`
    """
    return _chat_key(cid, "owners")


@key("chat:{<tag>}:<cid>:since")
def chat_visible_from(cid: str) -> str:
    """What each member may see of a chat: `first joined`, the first message id and the newest when they came; a bot's
    ends with `b`.

    hash: uid → two numbers · one field a member · written by `chat/*.lua`
    """
    return _chat_key(cid, "since")


@key("chat:{<tag>}:<cid>:messages")
def chat_messages(cid: str) -> str:
    """The messages of a chat, by their dense ids: JSON with `by` (uid), `at` (unix ms), `text`, `entities`, `reply`,
    `pictures`, `card` ([status, author]), `edited` (unix ms); a deleted one has `by`, `at` and `gone` (unix ms).

    hash: id → JSON · CHAT_HISTORY · written by `chat/messages/lua/send.lua`, `chat/messages/lua/change_message.lua`, `chat/api/lua/fetch.lua`
    """
    return _chat_key(cid, "messages")


@key("chat:{<tag>}:<cid>:reactions")
def chat_reactions(cid: str) -> str:
    """What members answered to messages with an emoji: JSON, emoji → uids.

    hash: message id → JSON · as the messages; CHAT_REACTIONS_MAX emoji each · written by `chat/messages/lua/react.lua`
    """
    return _chat_key(cid, "reactions")


@key("chat:{<tag>}:<cid>:changes")
def chat_changes(cid: str) -> str:
    """Which messages were edited, deleted or reacted to lately, for readers that come back.

    zset: message id → the chat's `rev` then · the newest 1,000 · written by `chat/*.lua`
    """
    return _chat_key(cid, "changes")


@key("chat:{<tag>}:<cid>:seen")
def chat_read_receipts(cid: str) -> str:
    """How far each member has read, as the others are told.

    zset: uid → message id, only growing · one entry a member · written by `chat/inbox/lua/mark_read.lua`, `chat/*.lua`
    """
    return _chat_key(cid, "seen")


@key("chat:{<tag>}:<cid>:fetched")
def chat_fetch_positions(cid: str) -> str:
    """How far each member has fetched. In a chat that keeps messages until they are fetched, all below the least go.

    zset: uid → message id, only growing · one entry a member · written by `chat/api/lua/fetch.lua`, `chat/*.lua`
    """
    return _chat_key(cid, "fetched")


@key("chat:{<tag>}:<cid>:invites")
def chat_invites(cid: str) -> str:
    """The invitations to a chat, under the SHA-256 of their secrets: `left expires by` (times, unix ms, uid).

    hash: sha → three numbers · CHAT_INVITES_MAX; spent and expired ones go when another is made · written by
    `chat/*.lua`
    """
    return _chat_key(cid, "invites")


@key("chat:{<tag>}:<cid>:removed")
def chat_removed(cid: str) -> str:
    """Who was taken out of a chat: they come back when an owner brings them, not by themselves.

    zset: uid → unix ms · the newest 1,000 · written by `chat/members/lua/leave.lua`, `chat/members/lua/add_members.lua`
    """
    return _chat_key(cid, "removed")


@key("sent:{<tag>}:<cid>:<uid>:<hash>")
def message_idempotency(cid: str, uid: int, digest: str) -> str:
    """The message that a sender's key has made (`<hash>` is that of the key), so that a retried one is one message.

    string id · POST_KEY_HOURS · written by `chat/messages/lua/send.lua`
    """
    return f"sent:{{{PARTITION_TAGS[chat_partition(cid)]}}}:{cid}:{uid}:{digest}"


@key("founded:{<tag>}:<uid>:<hash>")
def group_idempotency(uid: int, digest: str) -> str:
    """The group that a form's key has made (`<hash>` is that of the key), so that a retried form is one group.

    string cid · POST_KEY_HOURS · written by `chat/members/membership.py`
    """
    return member_key("founded", uid, digest)


@key("chats:{<tag>}:<uid>")
def member_chats(uid: int) -> str:
    """The chats of a member, projected from the chats' own lists.

    zset: cid → unix ms of the newest message · CHATS_MAX, give or take a few · written by `chat/project_*.lua`
    """
    return member_key("chats", uid)


@key("marks:{<tag>}:<uid>")
def member_chat_state(uid: int) -> str:
    """What a member's list says of each chat: `last:<cid>` (newest message id, projected), `read:<cid>` (read up to),
    `muted:<cid>`, `archived:<cid>` (newest message id then), `waiting:<cid>` (request or ignored).

    hash · a few fields a chat · written by `chat/project_*.lua`, `chat/inbox/lua/update_chat_state.lua`
    """
    return member_key("marks", uid)


def member_chats_prefix(partition: int) -> str:
    """The common beginning of a partition's lists of chats, for the scripts that project."""
    return f"chats:{{{PARTITION_TAGS[partition]}}}:"


def member_chat_state_prefix(partition: int) -> str:
    """The common beginning of a partition's chat marks, for the scripts that project."""
    return f"marks:{{{PARTITION_TAGS[partition]}}}:"


# Bots


@key("bots:{<tag>}:<uid>")
def bots(uid: int) -> str:
    """The bots of a member. One whose account was never made goes when another is made, 60 s later.

    zset: uid → when it was made, unix ms · BOTS_MAX · written by `chat/bots/lua/reserve_bot.lua`, `chat/bots/store.py`
    """
    return member_key("bots", uid)


@key("webhook:{<tag>}:<uid>")
def webhook(uid: int) -> str:
    """Where a bot is told of messages: `url`, `secret` (sealed with SECRET_KEY), `delivered` (unix ms of the last that
    arrived), `failures` (in a row), `error` (the last), `until` (unix ms: nothing before, as a worker is telling it
    something or that has failed), and `mark:<partition>`, the last outbox id it was told of.

    hash · kept until it is taken away · written by `chat/*_delivery.lua`, `chat/bots/lua/set_webhook.lua`
    """
    return member_key("webhook", uid)


@key("deliveries:{<tag>}")
def due_webhooks(partition: int) -> str:
    """The bots of the partition that wait to be told of something, by when the next of it is due, or the lease of the
    worker that is telling it runs out.

    zset: uid → unix ms · one entry a bot · written by `chat/*_delivery.lua`
    """
    return f"deliveries:{{{PARTITION_TAGS[partition]}}}"


@key("unsent:{<tag>}:<uid>")
def webhook_queue(uid: int) -> str:
    """What a bot is still to be told, by when it is due.

    zset: delivery (`partition-outboxid`) → unix ms · WEBHOOK_WAITING · written by `chat/*_delivery.lua`
    """
    return member_key("unsent", uid)


@key("unsent:{<tag>}:<uid>:words")
def webhook_payloads(uid: int) -> str:
    """What each of these deliveries is about: JSON with `chat`, `message`, `at` (unix ms), `tries`, `error`.

    hash: delivery → JSON · as `unsent` · written by `chat/*_delivery.lua`
    """
    return member_key("unsent", uid, "words")


@key("undelivered:{<tag>}:<uid>")
def webhook_failures(uid: int) -> str:
    """The deliveries to a bot that were given up, the newest first: JSON as in `unsent:…:words`.

    list · the newest 20 · written by `chat/*_delivery.lua`
    """
    return member_key("undelivered", uid)


def webhook_prefix(partition: int) -> str:
    """The common beginning of a partition's webhooks, for the script that looks for what is due."""
    return f"webhook:{{{PARTITION_TAGS[partition]}}}:"


def webhook_queue_prefix(partition: int) -> str:
    """The common beginning of what the bots of a partition wait for, for the same script."""
    return f"unsent:{{{PARTITION_TAGS[partition]}}}:"


# Reports


@key("reports:{reports}")
def reports() -> str:
    """What members have reported, each message once by each.

    zset: `uid:cid:message` → unix ms · REPORTS_MAX, the oldest go · written by `chat/reports/lua/report.lua`, `chat/reports/store.py`
    """
    return f"reports:{{{REPORTS_TAG}}}"


@key("reports:{reports}:words")
def report_contents() -> str:
    """What was reported, as it was then: JSON with `reason`, `author` (uid), `texts`.

    hash: as in `reports` → JSON · as `reports` · written by `chat/reports/lua/report.lua`, `chat/reports/store.py`
    """
    return f"reports:{{{REPORTS_TAG}}}:words"


# Events


@key("outbox:{<tag>}")
def outbox(partition: int) -> str:
    """The partition's events, in the order of its acts, until both groups (`log`, `fanout`) have applied them.

    stream: `type`, `rid` (request id) and the event's fields · OUTBOX_MAX, then writes are refused; trimmed by its
    owner below the oldest event not acknowledged · written by every script that changes what others show
    """
    return f"outbox:{{{PARTITION_TAGS[partition]}}}"


@key("attempts:{<tag>}")
def event_attempts(partition: int) -> str:
    """How often events failed so far.

    hash: `group:id` → failures · one entry a failing event, removed when it is applied or parked · written by
    `core/events/worker.py`
    """
    return f"attempts:{{{PARTITION_TAGS[partition]}}}"


@key("parked:{<tag>}")
def parked_events(partition: int) -> str:
    """Events that failed ATTEMPTS_MAX times, until `linnet retry` puts them back.

    stream: the event's fields, `group`, `error` · PARKED_MAX · written by `core/events/lua/park.lua`, `core/events/lua/retry.lua`
    """
    return f"parked:{{{PARTITION_TAGS[partition]}}}"


@key("lease:{<tag>}:<group>")
def lease(partition: int, group: str) -> str:
    """Which worker applies the partition's events for a group: `owner`, `token` (grows with each owner), `until` (unix
    ms).

    hash · no bound: 64 × 2 · written by `core/events/lua/lease.lua`
    """
    return f"lease:{{{PARTITION_TAGS[partition]}}}:{group}"


@key("fences:{<tag>}")
def fences(hash_tag: str) -> str:
    """The newest lease token seen here from each source, so that a worker which lost its lease can write no more.

    hash: `group:partition` → token · no bound: 64 × 2 · written by every projection's script but
    `streaming/log/lua/append.lua`, which has marks
    """
    return f"fences:{{{hash_tag}}}"


@key("log:{log}")
def event_log() -> str:
    """The site's events for streaming readers. Of what not everybody may see, marked by `close`, numbers alone.

    stream: `p`, `oid` (outbox id), `type` and the event's fields · LOG_MAX · written by `streaming/log/lua/append.lua`
    """
    return f"log:{{{LOG_TAG}}}"


@key("marks:{log}")
def log_watermarks() -> str:
    """The last outbox id of each partition in the log: an event applied twice enters once.

    hash: partition → outbox id · no bound: 64 · written by `streaming/log/lua/append.lua`
    """
    return f"marks:{{{LOG_TAG}}}"


# Streams


@key("seats:{<tag>}:<holder>")
def connection_slots(holder: int | str) -> str:
    """The open streams of a member (by id) or of a visitor (by address).

    zset: seat → its turn, counted · STREAMS_PER_MEMBER; expires an hour after the last refresh · written by
    `streaming/api_v1/lua/acquire_slot.lua`, `streaming/api_v1/lua/release_slots.lua`
    """
    return f"seats:{{{PARTITION_TAGS[connection_slot_partition(holder)]}}}:{holder}"


@key("seats:{<tag>}:<holder>:seen")
def connection_slots_seen(holder: int | str) -> str:
    """When the process of each such stream last said that it is open.

    zset: seat → unix ms · as `seats` · written by `streaming/api_v1/lua/acquire_slot.lua`, `streaming/api_v1/lua/refresh_slots.lua`,
    `streaming/api_v1/lua/release_slots.lua`
    """
    return f"{connection_slots(holder)}:seen"


def connection_slot_partition(holder: int | str) -> int:
    """The partition of a holder's seats: a member's own, or any that an address always leads to."""
    return partition_of(holder if isinstance(holder, int) else crc32(holder.encode()))


# Pages kept for visitors. They are not data: any of these may be lost, and pages are rendered anew.


def page_partition(path: str) -> int:
    """The partition that a path's pages are kept in."""
    return partition_of(crc32(path.encode()))


@key("page:{<tag>}:<path>")
def cached_page(path: str) -> str:
    """A path's kept pages: variant (address of the site, query, language, theme, encoding) → when it is over (unix ms),
    its head as JSON, its compressed body; `=` and the variant → who renders it, until when.

    hash · 64 fields; expires PAGE_CACHE_SECONDS and half a minute after the last was kept · written by `pagecache/lua/lookup.lua`,
    `pagecache/lua/release.lua`, `pagecache/lua/store.lua`, `pagecache/lua/invalidate.lua`
    """
    return f"{cached_page_prefix(page_partition(path))}{path}"


def cached_page_prefix(partition: int) -> str:
    """What the names of a partition's kept pages begin with."""
    return f"page:{{{PARTITION_TAGS[partition]}}}:"


@key("pages:{<tag>}")
def cached_paths(partition: int) -> str:
    """The paths whose pages a partition keeps.

    zset: path → unix ms of its end · PAGE_CACHE_BYTES / 64 of pages, the first to end goes · written by
    `pagecache/lua/store.lua`, `pagecache/lua/invalidate.lua`
    """
    return f"pages:{{{PARTITION_TAGS[partition]}}}"


@key("pages:{<tag>}:bytes")
def cached_page_bytes(partition: int) -> str:
    """How large they are.

    hash: path → bytes; `total` · as `pages` · written by `pagecache/lua/store.lua`, `pagecache/lua/invalidate.lua`
    """
    return f"{cached_paths(partition)}:bytes"


@key("edits:{pages}")
def member_versions() -> str:
    """The members who last changed in a way that any page showing them tells of.

    zset: uid → number of the change, counted on from the time in µs · the newest 10,000 · written by `pagecache/lua/bump_version.lua`
    """
    return f"edits:{{{PAGES_TAG}}}"


@key("views:{pages}")
def page_views() -> str:
    """How often each path was looked at by visitors, halved every five minutes.

    zset: path → views · PAGE_VIEWS_MAX · written by `pagecache/lua/count_views.lua`
    """
    return f"views:{{{PAGES_TAG}}}"


@key("views:{pages}:halved")
def page_views_halved() -> str:
    """That they were halved less than five minutes ago.

    string · expires after five minutes · written by `pagecache/lua/count_views.lua`
    """
    return f"{page_views()}:halved"


@key("views:{pages}:counts")
def page_cache_counts() -> str:
    """How many requests of visitors found a kept page (`hits`), and how many did not (`misses`).

    hash · no bound: two fields · written by `pagecache/lua/count_views.lua`
    """
    return f"{page_views()}:counts"
