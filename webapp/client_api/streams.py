"""The streams that apps may open: what each sends, and which scope it takes."""

from dataclasses import dataclass, field

from webapp.core.errors import Invalid, NotFound
from webapp.core.store import parse_id
from webapp.core.text.parser import tag_name

PATH = "/api/v1/streaming"
NOTIFICATIONS_SCOPE = "read:notifications"
Parameter = str | int


@dataclass(frozen=True, slots=True)
class StreamKind:
    """A stream. `path`: below PATH. `parameter`: what it needs, `tag` or `list`.

    `public`: for visitors too. `context`: where its statuses are shown, as filters name it.
    `only_media`: only statuses with pictures. `news`: what its other events are called.
    """

    name: str
    scope: str
    about: str
    parameter: str = ""
    public: bool = False
    context: str = "public"
    only_media: bool = False
    news: str = "notification"

    @property
    def path(self) -> str:
        """Return its path below PATH, for Server-Sent Events."""
        return self.name.replace(":", "/")


READ = "read:statuses"
MEDIA = "New public posts with pictures."
KINDS = {
    one.name: one
    for one in (
        StreamKind("user", READ, "The home of the caller, and notifications.", context="home"),
        StreamKind("user:notification", NOTIFICATIONS_SCOPE, "Notifications of the caller."),
        StreamKind("public", READ, "New public posts.", public=True),
        StreamKind("public:local", READ, "New public posts.", public=True),
        StreamKind("public:remote", READ, "Nothing: there are no other servers.", public=True),
        StreamKind("public:media", READ, MEDIA, public=True, only_media=True),
        StreamKind("public:local:media", READ, MEDIA, public=True, only_media=True),
        StreamKind("hashtag", READ, "New public posts with a hashtag.", "tag", public=True),
        StreamKind("hashtag:local", READ, "New public posts with a hashtag.", "tag", public=True),
        StreamKind("list", "read:lists", "New posts of a list.", "list", context="home"),
        StreamKind("direct", READ, "Conversations of the caller.", news="conversation"),
    )
}


@dataclass(frozen=True, slots=True)
class Stream:
    """A stream that a client asks for.

    `parameter`: the folded hashtag or the number of the list. `label`: the same as the client
    wrote it. Streams that differ only in this are equal.
    """

    kind: StreamKind
    parameter: Parameter = ""
    label: str = field(default="", compare=False)

    @property
    def labels(self) -> list[str]:
        """Return how messages name it."""
        return [self.kind.name, self.label] if self.kind.parameter else [self.kind.name]


def is_for_apps(path: str) -> bool:
    """Return True for the address of a stream for apps."""
    return path == PATH or path.startswith(f"{PATH}/")


def parse_stream(name: str, tag: str = "", list_id: str = "") -> Stream:
    """Return the stream of a name and its parameter. Raises NotFound, Invalid."""
    kind = NotFound.unless(KINDS.get(name), "no_stream")
    if kind.parameter == "tag":
        if not (folded := tag_name(tag)):
            raise Invalid("no_tag_given", "Missing tag name parameter")
        return Stream(kind, folded, tag)
    if kind.parameter == "list":
        if not (number := parse_id(list_id)):
            raise Invalid("no_list_given", "Missing list name parameter")
        return Stream(kind, number, list_id)
    return Stream(kind)
