"""Members, protected accounts, lists, hashtags, notifications, and peace and quiet."""

from collections.abc import Iterator

from webapp.accounts import lifecycle
from webapp.accounts.collections.featured_tags import feature
from webapp.following import member_collections, store as following
from webapp.following.blocks import store as blocks
from webapp.following.mutes import store as mutes
from webapp.following.mutes.store import DAY
from webapp.following.notes import store as notes
from webapp.lists import store as lists
from webapp.reports import store as reports
from webapp.reports.category import Category
from webapp.statuses import Filter, Visibility
from webapp.statuses.auto_delete import store as auto_delete
from webapp.statuses.auto_delete.store import KINDS, Rule
from webapp.statuses.filters import store as filters
from webapp.statuses.threads import conversations
from webapp.timelines.tags import store as tags

from .context import Stop, WalkContext
from .walk_members import WalkMember


def members(context: WalkContext) -> Iterator[Stop]:
    """Let the members meet. Friends follow each other, and the newcomer follows."""
    members = context.members
    circle = (members.me, members.chinese, *members.friends)
    for other in (*members.friends, members.chinese, members.quiet, members.loud):
        _follow(context, members.me, other)
    for other in (members.newcomer, members.stranger, members.reserved, members.rude):
        following.unfollow(context, members.me.uid, other.login)
    for follower in (*circle[1:], members.quiet):
        for other in circle:
            if follower is not other:
                _follow(context, follower, other)
    _follow(context, members.newcomer, members.me)
    yield Stop(f"/@{members.me.login}", "your profile", members.me.name)
    text = "Lent me the good binoculars. Give them back in spring."
    notes.save_note(context.db, members.me.uid, members.friends[0].login, text)
    yield Stop(f"/@{members.friends[0].login}", "a friend, with a note that only you see", text)
    common = f"/@{members.friends[0].login}/common-follows"
    yield Stop(common, "whom both you and a friend follow", "Both follow")
    yield Stop("/followers/languages", "what your followers write in", "your followers")
    yield Stop("/settings/profile", "edit it", "Website")
    stranger = members.stranger.login
    yield Stop(f"/join/follow/{stranger}", "where a visitor’s button leads", f"@{stranger}")
    auto_delete.save(context, members.me.uid, Rule(365, frozenset(KINDS)))
    yield Stop("/settings/sessions", "where you are signed in", "session")
    yield Stop("/settings/data", "an archive of all that is yours", "Make an archive")
    if context.config.has_mail:
        yield Stop("/settings/email", "an address for a forgotten password", "Email address")
    yield Stop("/settings/delete-posts", "how old your posts may get", "After 365 days")


def protected_accounts(context: WalkContext) -> Iterator[Stop]:
    """Point to a protected member who is followed, and protect one who has not answered yet."""
    members = context.members
    for member in (members.quiet, members.reserved):
        lifecycle.protect(context, member.uid)
    text = "Small account, small pond, good company. Nobody here minds a blurry heron."
    posted = context.post(members.quiet, text)
    _follow(context, members.me, members.reserved)
    yield Stop(posted.path, "a post that only accepted followers see", text)
    yield Stop(
        f"/@{members.reserved.login}", "your follow request waits for an answer", "Requested"
    )
    yield Stop("/settings/privacy", "protect your own account", "accept")


def lists_of_members(context: WalkContext) -> Iterator[Stop]:
    """Make a public list, a private one that keeps its member out of home, and a friend's."""
    members = context.members
    early = lists.create(context, members.me.uid, "Early birds")
    for friend in members.friends[:3]:
        lists.set_memberships(context, members.me.uid, friend.login, {early: True})
    lists.pin(context, members.me.uid, early)
    later = lists.create(context, members.me.uid, "For later", private=True, exclusive=True)
    lists.set_memberships(context, members.me.uid, members.friends[4].login, {later: True})
    maker = members.friends[0]
    theirs = lists.create(context, maker.uid, "Marsh people")
    lists.set_memberships(context, maker.uid, members.me.login, {theirs: True})
    text = "First ferry, first frost, first coffee. In that order, which was a mistake."
    context.post(maker, text)
    yield Stop("/lists", "your lists, one of them private", "For later")
    yield Stop(f"/@{members.me.login}/lists/{early}", "the timeline of a list", text)
    yield Stop("/home/popular", "popular posts and a pinned list as tabs of home", "Early birds")
    yield Stop(f"/@{maker.login}/lists", "a friend’s list, with you on it", "Marsh people")


def hashtags(context: WalkContext) -> Iterator[Stop]:
    """Follow two hashtags, feature one and a friend. Post, also as one whom nobody follows."""
    members = context.members
    feature(context, members.me.uid, "dawnchorus")
    for name in ("dawnchorus", "观鸟"):
        tags.follow(context, members.me.uid, name)
    text = "Blackbird at 4:12, robin at 4:15, me at 4:40 with one shoe on. #dawnchorus"
    context.post(members.newcomer, text)
    context.post(
        members.friends[1], "Window open, kettle off, eleven species before toast. #DawnChorus"
    )
    context.post(members.chinese, "天没亮就出门，听到第一声黄鹂，值了。 #观鸟 #dawnchorus")
    yield Stop("/tags/dawnchorus", "a hashtag that you follow", "Blackbird at 4:12")
    yield Stop("/settings/tags", "all hashtags that you follow", "观鸟")
    yield Stop(f"/@{members.me.login}", "a profile that leads to a hashtag", "%23dawnchorus")
    friend = members.friends[1].login
    member_collections.endorse(context, members.me.uid, friend)
    yield Stop(f"/@{members.me.login}/featured", "whom a profile features", f"@{friend}")


def notifications(context: WalkContext) -> Iterator[Stop]:
    """Mention the featured member, and turn the bell on for a friend who then posts.

    The other parts cause the other notifications.
    """
    me, friend = context.members.me, context.members.friends[1]
    text = "the robin at the east hide asked after you. It wanted to know about the crumbs."
    context.post(context.members.friends[2], f"@{me.login} {text}")
    member_collections.subscribe(context, me.uid, friend.login)
    context.post(friend, "Kingfisher, two metres, no camera. You will have to believe me.")
    yield Stop(f"/@{friend.login}", "a friend with the bell on", "Notify me of new posts")
    yield Stop("/notifications", "likes, boosts, follows, replies and quotes", "liked your post")
    yield Stop("/notifications/mentions", "who mentioned you", text)
    secret = "do not tell the others yet: the cake is lemon."
    context.post(friend, f"@{me.login} {secret}", visibility=Visibility.MENTIONED)
    yield Stop("/notifications/private", "what only the mentioned see", secret)
    yield Stop("/settings/notifications", "choose who may notify you", "follow")


def peace_and_quiet(context: WalkContext) -> Iterator[Stop]:
    """Mute, block and filter."""
    members = context.members
    context.post(
        members.loud, "HOT TAKE number nine of today: all ducks are the same duck. #HotTake"
    )
    mutes.mute(context, members.me.uid, members.loud.login, 7 * DAY)
    blocks.block(context, members.me.uid, members.rude.login)
    member_collections.hide_boosts(context, members.me.uid, members.loud.login)
    reports.report_member(
        context, members.me.uid, members.rude.login, "Rude to a coot.", Category.HARASSMENT
    )
    filters.save(context, members.me.uid, Filter("spoiler\nseason finale"))
    filters.mute_tag(context, members.me.uid, "hottake", ())
    context.post(members.friends[2], "Lukewarm take: coots are the best of us. #HotTake")
    context.post(
        members.friends[3], "Spoiler: the otter makes it to the other bank. Everybody wept."
    )
    long_talk = context.post(members.friends[3], f"@{members.me.login} ducks again. Thread of 90.")
    conversations.mute(context, members.me.uid, long_talk.id)
    yield Stop(long_talk.path, "a conversation that no longer notifies you", "You muted this")
    yield Stop("/settings/mutes", "a member you muted for a week", f"@{members.loud.login}")
    yield Stop("/settings/blocks", "a member you blocked", f"@{members.rude.login}")
    yield Stop("/settings/hidden-boosts", "whose boosts you hid", f"@{members.loud.login}")
    yield Stop(f"/@{members.rude.login}/report", "you reported this member", "Send report")
    yield Stop("/settings/home", "hide replies or boosts of everybody at home", "Hide boosts")
    yield Stop("/settings/filters", "a filter, which folds up a post in home", "season finale")
    yield Stop("/tags/hottake", "a hashtag that you muted", "Lukewarm take")


def _follow(context: WalkContext, follower: WalkMember, target: WalkMember) -> None:
    following.follow(context, follower.uid, target.login)
