"""Load the authors and hashtags that homes and lists show."""

from __future__ import annotations

from webapp.core.store.client import Db
from webapp.core.store.reads import Read, read
from webapp.following import keys as following_keys
from webapp.lists import lookup as lists
from webapp.streaming.hub.channels import FollowSet
from webapp.streaming.hub.followed_topics import Home, List
from webapp.streaming.hub.topics import Topic
from webapp.timelines.tags import store as tags


def load_follows(db: Db, topic: Topic) -> FollowSet:
    """Return the authors and hashtags that a home or a list shows. One trip. Raises Unavailable."""
    if isinstance(topic, List):
        return FollowSet(db.read(lists.member_uids(topic.owner, topic.list_id)))
    if isinstance(topic, Home):
        return FollowSet(*db.fetch(_followed_uids(topic.owner), tags.followed(topic.owner)))
    return FollowSet()


def _followed_uids(uid: int) -> Read[list[int]]:
    command = ("ZRANGE", following_keys.following(uid), 0, -1)
    return read(command, lambda uids: [int(followed) for followed in uids])
