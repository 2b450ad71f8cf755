"""The names of kinds in Mastodon's API. Apps get no other kinds."""

CLIENT_TYPES = {
    "mention": "mention",
    "reply": "mention",
    "quote": "quote",
    "like": "favourite",
    "boost": "reblog",
    "follow": "follow",
    "request": "follow_request",
    "poll": "poll",
    "post": "status",
}
