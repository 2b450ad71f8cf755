"""Limits that operators rarely change. Each can be set from the environment, as settings can."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rate:
    """A rate limit: `burst` acts at once, refilled evenly over `period` seconds.

    Written `30/300`.
    """

    burst: int
    period: int

    def __str__(self) -> str:
        return f"{self.burst}/{self.period}"

    @classmethod
    def parse(cls, text: str) -> Rate:
        """Parse `burst/period`. Raises ValueError."""
        burst, _, period = text.partition("/")
        rate = cls(int(burst), int(period))
        if rate.burst < 1 or rate.period < 1:
            raise ValueError(text)
        return rate


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of the site. `Config` adds the settings that an operator chooses."""

    # Requests
    store_timeout: float = 2.0  # seconds that a page waits for the store; then it is 503
    read_replicas: bool = False  # visitors' pages may be read from replicas; not on a Cluster
    write_replicas_disk: bool = False  # replicas must have a write on disk, not only in memory
    drain_seconds: float = 0.0  # health checks fail for so long before pages and streams end
    body_max: int = 64 * 1024  # bytes of a request's body
    body_deadline: float = 10.0  # seconds to send a whole body
    upload_pixels: int = 40_000_000  # pixels of one uploaded picture
    upload_deadline: float = 60.0  # seconds to send a form with pictures
    pieces_max: int = 32 * 1024 * 1024  # bytes of rendered fragments that one web process caches
    metrics_token: str = ""  # what programs of other machines send to read /metrics

    # Access log
    access_log: bool = False  # write a line for each request, without address and query
    files_max: int = 268_435_456  # bytes of lines that wait in the store, and on each machine

    # Pages kept for visitors
    page_cache_paths: int = 10_000  # only the most viewed addresses are cached
    page_views_max: int = 20_000  # addresses whose views are counted

    # Members
    name_kept_days: int = 30  # days that a deleted account's login stays reserved
    session_days_max: int = 90  # days after which even a session in use ends
    require_factors: bool = False  # staff need a second factor; True if SITE_URL is https
    session_touch: int = 60  # seconds between two writes of "last seen"
    sessions_max: int = 1_000_000  # sessions in all; each of the 64 partitions keeps its share
    member_sessions_max: int = 50  # sessions of one member; the least recent goes
    tokens_max: int = 25  # access tokens of one member
    apps_max: int = 25  # apps (OAuth 1.0a) of one member
    name_max: int = 50  # characters of a display name
    bio_max: int = 160  # characters of a bio
    location_max: int = 30  # characters of a location
    website_max: int = 100  # characters of a website's address

    # Statuses and timelines
    cw_max: int = 100  # characters of a content warning
    edits_max: int = 20  # edits of one status
    pinned_max: int = 5  # statuses that one member has pinned
    detached_max: int = 5_000  # quotes that one status is detached from
    status_pictures_max: int = 4  # pictures of one status, at most 4
    picture_megabytes_max: int = 2_000  # of pictures in a member's posts and drafts; 0: any
    alt_max: int = 1_500  # characters of a picture's description
    post_key_hours: int = 24  # hours a form's idempotency key is remembered
    home_max: int = 800  # entries a home timeline keeps at least
    home_slack: int = 64  # entries above HOME_MAX before a home is trimmed, roughly
    public_max: int = 4_000  # entries of the public timeline
    tagged_max: int = 2_000  # statuses kept under one hashtag
    show_views: str = "author"  # who sees view counts: author or everyone
    view_days: int = 90  # days after a post in which its views are counted, and shown
    hot_max: int = 1_000  # posts kept as hot on the whole site
    hot_group_max: int = 500  # posts kept as hot in one language, and under one hashtag
    hot_like_seconds: int = 1_800  # a like ranks a hot post as if it were so much newer
    hot_boost_seconds: int = 3_600  # and a boost
    hot_days: int = 7  # days that likes and boosts raise a hot post by at most
    trend_member_hours: int = 24  # age of an account, before its shares count for trends
    followed_tags_max: int = 50  # hashtags one member may follow
    featured_tags_max: int = 10  # hashtags on the profile of one member
    following_max: int = 5_000  # members one member may follow
    requests_max: int = 5_000  # follow requests from one member, and to one member
    blocks_max: int = 5_000  # members one member may block
    mutes_max: int = 5_000  # members one member may mute
    filters_max: int = 50  # word filters of one member
    likes_max: int = 50_000  # likes of one member; one more takes back the oldest
    boosts_max: int = 50_000  # boosts of one member; one more takes back the oldest
    bookmarks_max: int = 10_000  # bookmarks of one member
    invites_max: int = 5  # invitations of one member that have not expired
    folders_max: int = 50  # bookmark folders of one member
    folder_statuses_max: int = 1_000  # posts in one bookmark folder
    voted_max: int = 1_000  # votes of one member in polls of the last days
    lists_max: int = 50  # lists of one member
    list_members_max: int = 500  # members of one list
    list_home_max: int = 400  # statuses kept of a list
    drafts_max: int = 100  # drafts and scheduled posts of one member
    notifications_max: int = 1_000  # notifications of one member; one more drops the oldest
    private_mentions_max: int = 1_000  # listed for one member; one more drops the oldest
    push_devices_max: int = 10  # devices that get a member's notifications; the oldest goes
    familiar_sample: int = 200  # newest follows looked through for "followed by people you follow"
    status_seconds: float = 1.0  # a process caches a status for the timelines of others
    merged_seconds: float = 1.0  # a process caches the newest page of an author who is pulled
    fanout_batch: int = 2_000  # homes one delivery script writes, at most 4,000

    # Search
    search_max: int = 1_000_000  # newest public posts that search finds
    search_shards: int = 16  # parts of the index, at most 64; `linnet upgrade search` uses it
    search_own_max: int = 20_000  # posts of one member that only they may find

    # Chat
    chat_members_max: int = 500  # members of one chat
    chats_max: int = 500  # chats of one member
    chat_requests_max: int = 100  # chat requests to one member
    chat_history: int = 10_000  # messages kept of a chat
    chat_message_max: int = 2_000  # characters of one message
    chat_edit_hours: int = 24  # hours in which a message may be edited
    chat_request_max: int = 3  # messages in a chat request before it is accepted
    chat_invites_max: int = 20  # valid invitations of one chat
    chat_page: int = 50  # messages a page
    chat_reactions_max: int = 20  # different reactions to one message
    chat_pictures_max: int = 4  # pictures of one message
    reports_max: int = 10_000  # reports kept for the operator; the oldest go
    bots_max: int = 10  # bots of one member
    webhook_waiting: int = 1_000  # undelivered messages of one bot; more are given up

    # Groups
    groups_max: int = 100  # groups of one member
    group_members_max: int = 10_000  # members of one group
    group_owners_max: int = 20  # owners of one group
    group_requests_max: int = 1_000  # members who wait to be let into one group
    group_posts_max: int = 2_000  # posts kept in the timeline of one group
    group_vote_days: int = 7  # days in which a post takes votes
    group_vote_seconds: int = 432  # how much newer a vote makes a post in Top

    # Events
    outbox_max: int = 10_000  # events waiting in one partition before writes answer 503
    log_max: int = 100_000  # entries of the log kept for readers that reconnect
    parked_max: int = 10_000  # parked events of a partition
    attempts_max: int = 5  # failures before an event is parked
    lease_seconds: float = 10.0  # a silent worker loses its partitions after this
    poll_seconds: float = 0.5  # longest wait if a wake-up was missed

    # Streaming
    stream_queue: int = 1_048_576  # bytes one client may lag behind before it is cut
    # open streams of one member, or of one address; a new one cuts the oldest
    streams_per_member: int = 2
    app_streams_per_member: int = 16  # open streams of all apps of one member, or of one address

    # Rate limits: acts / seconds, each with a budget of its own
    limit_signin_address: Rate = Rate(30, 600)  # sign-ins from one address
    # sign-ins to one account from each device that it knows; of other networks each has as many,
    # in the time of limit_signin_strangers
    limit_signin_account: Rate = Rate(10, 600)
    limit_signin_strangers: Rate = Rate(50, 3600)  # to one account from all other devices
    # codes for one account: of apps from new devices, and of mails
    limit_codes: Rate = Rate(50, 86_400)
    limit_mail: Rate = Rate(5, 3600)  # mails that one account or address is asked to get
    limit_mail_network: Rate = Rate(20, 3600)  # mails that one network asks for
    limit_signup: Rate = Rate(10, 3600)  # sign-ups from one address
    limit_post: Rate = Rate(60, 1800)  # posts of one member, and as many deletions and edits
    # follows, requests, mutes, blocks and changes of lists of one member, together
    limit_follow: Rate = Rate(200, 3600)
    # likes, boosts, bookmarks, pins and votes of one member, given and taken back
    limit_like: Rate = Rate(300, 900)
    # changes of one member's profile, settings, filters, password or account
    limit_edit: Rate = Rate(30, 3600)
    limit_draft: Rate = Rate(120, 3600)  # drafts saved, per member
    limit_autosave: Rate = Rate(600, 3600)  # drafts saved while somebody writes, per member
    limit_token: Rate = Rate(20, 3600)  # access tokens, and as many apps, one member makes
    limit_api: Rate = Rate(300, 300)  # calls of the client API with one token, or from a network
    limit_app: Rate = Rate(60, 3600)  # apps that one network registers, and codes it exchanges
    oauth_password_grant: bool = False  # let apps send a member's login and password for a token
    limit_stream: Rate = Rate(20, 60)  # streams one member, or one address, opens
    limit_chat: Rate = Rate(120, 60)  # messages, reactions and similar acts of one member
    # groups, group chats, invitations, first messages to strangers, and job offers of one member
    limit_group: Rate = Rate(20, 3600)
    limit_nearby: Rate = Rate(30, 3600)  # positions one member shows, and searches of people nearby
    limit_pictures: Rate = Rate(60, 3600)  # messages and posts with pictures of one member
    limit_page_streams: Rate = Rate(120, 60)  # streams that the pages of one member open
    limit_search: Rate = Rate(60, 60)  # searches of one member, or from one network
    limit_views: Rate = Rate(60, 60)  # reports of seen posts from one member, or one network
    limit_autocomplete: Rate = Rate(300, 60)  # suggestions one member gets while they write
    limit_card: Rate = Rate(120, 60)  # pictures of links that are drawn for one address
