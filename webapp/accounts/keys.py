"""The keys of accounts, sessions and invitations."""

from webapp.core.store.ids import partition_of
from webapp.core.store.schema import Hash, Key, MemberKey, PartitionKey, Set, SiteKey, String, ZSet

last_uid = SiteKey(
    "last_uid",
    String("(counter)"),
    bound="no bound: one value",
    doc="The last member id that was assigned. Ids are dense; gaps are fine.",
)

login = Key(
    "login:{<name>}",
    String("`uid:ms`, when it was claimed"),
    fold=str.lower,
    bound="kept while the account exists, and NAME_KEPT_DAYS after the login was changed",
    doc="Who has claimed this login. After 60 s a claim without an account may be taken over.",
)

declined = Key(
    "declined:{<name>}",
    String("the hash of a password"),
    fold=str.lower,
    bound="30 days",
    doc="""The password of a sign-up that moderators refused, so that the applicant is told. The
    account itself is deleted.""",
)

owner = SiteKey(
    "owner",
    String("`uid:ms`, when it was claimed"),
    bound="no bound: one value",
    doc="Who has set up this site. After 60 s a claim without an account may be taken over.",
)

featured_tags = MemberKey(
    "featured_tags",
    ZSet("name", "unix ms, each higher than the one before"),
    private=True,
    bound="FEATURED_TAGS_MAX",
    doc="The hashtags that a member shows on their profile, by their folded names.",
)

user = MemberKey(
    "user",
    Hash(),
    bound="kept while the account exists, and NAME_KEPT_DAYS after",
    doc="""A member: `login`, `name`, `joined` (unix ms), `avatar`, `header` (names of pictures),
    `bio`, `bio_entities` (JSON), `location`, `website`; `bot` (the uid of the bot's owner); `epoch`
    (counts password changes, suspensions, second steps switched on, and removals of all access:
    earlier sign-ins fail), `password_until` (unix seconds, 0 for no end) where the password has to
    be replaced at the next sign-in, `second_step` = 1 if a sign-in needs a code, `suspended` (unix
    ms), `suspended_act` (its number, if moderators did it), `former_login` and `renamed` (unix ms),
    when the login was last changed; `limited` = 1 if moderators keep their posts off public pages,
    `warned`, the number of a warning that they have not read, `acts`, of the last act of
    moderators, `waiting`, why they want to join, until they are accepted, `invited_by` (the uid of
    who made their invitation), `rights` (words), `pull_author` = 1 once statuses are merged at read
    time (sticky); `protected` = 1 if only accepted followers see their statuses; `notify:<kind>`
    (`followed` or `nobody`; everybody if missing), `push:<kind>` (`off`) and `push:content`
    (`shown`), what their devices get; `quote_policy`, who may quote (`f` followers, `n` nobody;
    everybody if missing); `chats_from`, who may begin a chat with them (`followed`, `nobody`;
    everybody if missing); `hidden_from_search` = 1 if others do not find them; `likes_hidden` = 1
    if others do not see what they like; `audience`, the visibility and the reply policy of the last
    post, parted by a comma; `app_defaults`, the defaults of posts that apps send: visibility, 1 for
    sensitive, language, parted by commas; `language`, `theme` (`light`, `dark` or `system`),
    `counts` (`off` to hide numbers) and `more_menu` (`off` to hide More), as last chosen;
    `countries`, the last 10 that they logged in from; `viewed_since` (unix ms), from when on the
    posts that they open are kept; `first_steps` = 1 while these are offered on their home;
    `home_feed`, the SHA-256 of the key of their private feed; `home_hides`, what their home leaves
    out (the words `replies` and `boosts`); `places_hidden_up_to`, the id up to which their statuses
    show no place; `lists`, the number of the last list; `streak_badge`, the days of the badge on
    their profile; `filters`, of the last filter; `folders`, of the last bookmark folder;
    `recovered` (unix seconds), when a recovery code reset the password, until they log in again.
    After the account is deleted: `removed` (unix ms) alone.""",
)

password = MemberKey(
    "password",
    String(),
    bound="kept while the account exists",
    doc="The argon2id hash of a member's password, outside the user hash: no page reads it.",
)

suspended_members = PartitionKey(
    "suspended",
    Set("uid"),
    bound="no bound: one for each suspended member",
    doc="The suspended members, copied to each partition for the script that reads homes.",
)

invites = SiteKey(
    "invites",
    ZSet("code", "when it expires, unix seconds"),
    bound="expired ones are removed when another is created",
    doc="The invitations that have not expired.",
)

invite_places = Key(
    "invite:{<code>}",
    String("(number)"),
    bound="expires with the invitation",
    doc="How many people may use an invitation.",
)

invite_redemptions = Key(
    "invite_redemptions:{<code>}",
    ZSet("uid", "when it was used, unix ms"),
    bound="as many as may use it; expires with it",
    doc=("Who used an invitation. After 60 s without an account a place is free for the next."),
)

invite_details = Key(
    "invite_details:{<code>}",
    Hash(),
    bound="expires with the invitation",
    doc="`note`, for whoever made an invitation, and `by`, the uid of that member (0: a command).",
)

own_invites = MemberKey(
    "own_invites",
    ZSet("code", "when it expires, unix seconds"),
    bound="INVITES_MAX; expires with the last of them",
    private=True,
    doc="The invitations of a member that have not expired.",
)

invited_members = MemberKey(
    "invited",
    ZSet("uid", "when they joined, unix ms"),
    bound="the newest 500",
    private=True,
    doc="Who signed up with an invitation that a member made.",
)

session = Key(
    "session:{<tag>}:<sha>",
    Hash(),
    by=partition_of,
    bound="expires SESSION_DAYS after it was last seen; is void SESSION_DAYS_MAX after its start",
    doc="""A signed-in browser, under the SHA-256 of its token: `uid`, `created`, `seen`, `proved`
    (when the password was last entered; all three in unix seconds), `address`, `agent` (both at the
    last use), `factor` = 1 if it began with a second factor or a passkey, or set up the account's
    first, `must_change` = 1 until the password is replaced.""",
)

sessions = PartitionKey(
    "sessions",
    ZSet("sha", "unix seconds"),
    bound="SESSIONS_MAX / 64, trimmed by a periodic job",
    doc="The partition's sessions by last use: the least recent are removed first.",
)

member_sessions = MemberKey(
    "member_sessions",
    ZSet("sha", "unix seconds"),
    bound="MEMBER_SESSIONS_MAX; expires with the last of them",
    doc="One member's sessions by last use.",
)

home = MemberKey(
    "home",
    ZSet("`id:author`, `id:author:reply_to` or `id:booster:author=status`", "id"),
    bound="HOME_MAX + HOME_SLACK and a few; dropped HOME_DAYS after the last visit",
    doc="""A home timeline. A reply to a third member names them as well; a boost names who boosts,
    and the status with its author. The member `more` (score: minus the time of the newest cut, µs)
    says that older entries were left out.""",
)

active_members = PartitionKey(
    "active",
    ZSet("uid", "last visit, unix seconds"),
    bound="one entry an active member",
    doc="""The members who get deliveries: those who came within HOME_DAYS. Below 0 for an hour
    or more after a rebuild or an unfollow: deliveries look at the member's own list of follows
    then.""",
)
