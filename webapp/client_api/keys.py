"""The keys of what the client API remembers for apps."""

from webapp.core.store.schema import MemberKey, String

media_upload = MemberKey(
    "media_upload",
    String("JSON of a picture, as in `media` of a status"),
    facets="<id>",
    bound="expires a day after it was sent",
    doc="A picture that an app has sent and that no status shows yet.",
)
