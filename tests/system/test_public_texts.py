"""No store function writes a text for others with a word that the site refuses."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.settings import with_settings
from tests.support.world import World
from webapp.accounts import profile, registration
from webapp.accounts.renaming import store as renaming
from webapp.archive.posts import store as old_posts
from webapp.archive.posts.old_posts import OldPost
from webapp.community.groups import store as groups
from webapp.community.groups.models import Voting
from webapp.community.jobs import store as jobs
from webapp.community.jobs.skills import Skill
from webapp.core.errors import RefusedText
from webapp.core.store import Site
from webapp.core.store.script_headers.parsing import parse_header
from webapp.core.text.parser import EMPTY, parse
from webapp.lists import store as lists
from webapp.site_settings import Ban, BanList
from webapp.statuses import Picture, Place, Poll, store as statuses
from webapp.statuses.compose.further_posts import FurtherPost
from webapp.statuses.edits import editing
from webapp.statuses.visibility.groups import GroupKind

PACKAGE = Path(__file__).parents[2] / "webapp"
BAD = "casino"
BANS = BanList((Ban("word", BAD, "refuse"),))
# Names of arguments that may hold what a member writes.
TEXTS = set("text cw name title about topic bio login slug skills fields words body".split())
ALBUM = (Picture("a" * 32 + ".jpg", 60, 40, BAD),)
Write = Callable[[Site, int], object]


def offer(**changes: object) -> jobs.Offer:
    return jobs.Offer(
        **{"title": "a", "text": "b", "place": "", "remote": True, "skills": ()} | changes
    )  # type: ignore[arg-type]


def post(**options: object) -> Write:
    return lambda site, uid: statuses.post(site, uid, EMPTY, "form-key-1", **options)  # type: ignore[arg-type]


def edit(text: str, cw: str, *pictures: Picture) -> Write:
    def write(site: Site, uid: int) -> object:
        plain = with_settings(site, bans=BanList())
        status_id = statuses.post(plain, uid, parse("first"), "form-key-2")
        return editing.edit(site, uid, status_id, parse(text), cw, "0.0", pictures)

    return write


def group(slug: str, name: str, about: str) -> Write:
    kinds = (GroupKind.OPEN, Voting.BOTH)
    return lambda site, uid: groups.create(site, uid, slug, name, about, *kinds)


WRITERS: dict[str, tuple[Write, ...]] = {
    "statuses/lua/post.lua": (
        lambda site, uid: statuses.post(site, uid, parse(f"A {BAD}!"), "form-key-1"),
        post(cw=BAD),
        post(poll=Poll(("yes", BAD), 60)),
        post(pictures=ALBUM),
        post(more=[FurtherPost(parse("first")), FurtherPost(parse(BAD))]),
        lambda site, uid: statuses.post(site, uid, EMPTY, "form-key-1", Place(name=BAD)),
    ),
    "statuses/edits/lua/edit.lua": (edit(BAD, ""), edit("a", BAD), edit("a", "", *ALBUM)),
    "accounts/lua/edit_profile.lua": tuple(
        lambda site, uid, name=name: profile.edit(site, uid, {name: BAD})
        for name in ("name", "bio", "location", "website")
    ),
    "accounts/lua/create.lua": (
        lambda site, uid: registration.sign_up(site, BAD, "Ben", "correct horse battery"),
        lambda site, uid: registration.sign_up(site, "ben", BAD, "correct horse battery"),
    ),
    "accounts/renaming/lua/rename.lua": (lambda site, uid: renaming.rename(site, uid, BAD),),
    "archive/posts/lua/import_post.lua": tuple(
        lambda site, uid, post=post: old_posts.import_post(site, uid, "token", post, {})
        for post in (OldPost("1", 1, BAD), OldPost("1", 1, "a", cw=BAD))
    ),
    "lists/lua/create.lua": (lambda site, uid: lists.create(site, uid, BAD),),
    "lists/lua/update.lua": (
        lambda site, uid: lists.update(
            site, uid, lists.create(site, uid, BAD, private=True), BAD, False, False
        ),
    ),
    "community/groups/lua/create.lua": (
        group(BAD, "a", ""),
        group("a", BAD, ""),
        group("a", "a", BAD),
    ),
    "community/groups/lua/edit.lua": tuple(
        lambda site, uid, texts=texts: groups.edit(site, uid, 1, *texts, Voting.BOTH)
        for texts in ((BAD, "", ""), ("a", BAD, ""), ("a", "", BAD))
    ),
    "community/jobs/lua/save_offer.lua": tuple(
        lambda site, uid, changes=changes: jobs.save(site, uid, offer(**changes))
        for changes in ({"title": BAD}, {"text": BAD}, {"place": BAD}, {"skills": (Skill(BAD),)})
    ),
    "community/jobs/lua/save_skills.lua": (
        lambda site, uid: jobs.save_skills(site, uid, jobs.Candidate((Skill(BAD),))),
    ),
}
OTHERS = {
    "members of a chat read it": """
        chat/members/lua/create_group_chat.lua chat/members/lua/edit_group_chat.lua
        chat/messages/lua/send.lua
    """,
    "its member reads it": """
        statuses/folders/lua/sort.lua statuses/folders/lua/rename.lua
        following/notes/lua/save_note.lua accounts/settings/lua/remember.lua
        accounts/tokens/lua/create_token.lua accounts/tokens/lua/create_app.lua
        client_api/oauth/lua/register_app.lua client_api/oauth/lua/grant_code.lua
        rewards/promotions/lua/start.lua
    """,
    "operators write it": """
        core/settings/lua/change_bans.lua rewards/drops/lua/save.lua rewards/items/lua/make.lua
    """,
    "it is checked when it is posted": "statuses/drafts/lua/save_draft.lua",
    "it is a login, which was checked": "statuses/threads/lua/relabel_reply.lua",
    "it is of a post": """
        autocomplete/lua/place_tag.lua autocomplete/lua/read_tag_ranks.lua
        timelines/tags/lua/refold_tag.lua
    """,
    "it is no text of a member": """
        accounts/sessions/lua/load_session.lua accounts/tokens/lua/authenticate_app.lua
        accounts/tokens/lua/authenticate_token.lua autocomplete/lua/find_within.lua
        client_api/lua/keep_upload.lua client_api/lua/drop_upload.lua
        mail/lua/finish_mail.lua pagecache/lua/store.lua
        registry/lua/check_again.lua registry/lua/save_upgrade.lua access_log/lua/send.lua
        core/events/schedule/lua/note.lua moderation/lua/list_appeal.lua
    """,
}


@pytest.mark.tables
def test_every_script_that_takes_a_text_has_a_row() -> None:
    known = {*WRITERS, *" ".join(OTHERS.values()).split()}
    takes = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.lua")
        if path.parent.name != "includes" and TEXTS & _arguments(path)
    }
    assert takes - known == set(), "add them to WRITERS or OTHERS"
    assert known - takes == set(), "they take no text: take them off the tables"


def _arguments(path: Path) -> set[str]:
    header = parse_header(path.name, path.read_text())
    return {argument.name for argument in header.arguments}


@pytest.mark.parametrize("path", WRITERS)
def test_every_writer_refuses(world: World, path: str) -> None:
    (ann,) = world.people("ann")
    strict = with_settings(world, bans=BANS)
    for write in WRITERS[path]:
        strict.refuses(RefusedText, write, ann, match="refused_text")
