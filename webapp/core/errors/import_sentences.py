"""The sentences of refusals of imports: of whole files, lines and posts."""

from __future__ import annotations

from flask_babel import lazy_gettext as _l

IMPORTS = {
    "csv_bad": _l("We can’t read that file. Choose a CSV file in UTF-8, as Mastodon exports it."),
    "csv_long": _l("That file is too big. It can have up to 10,000 lines and 1 MB."),
    "csv_row": _l("This line isn’t complete."),
    "posts_bad": _l(
        "There are no posts in that file. Choose a ZIP file from Mastodon or X, or the file "
        "outbox.json or tweets.js in it."
    ),
    "posts_long": _l("There’s too much in that file."),
    "import_boost": _l("It’s a boost of someone else’s post."),
    "import_private": _l("It’s a private message."),
    "import_reply": _l("It answers a post that isn’t imported."),
    "import_kind": _l("It’s a poll, or something else that isn’t a post."),
    "import_text": _l("It has no text."),
    "import_long": _l("Its text is too long."),
    "import_date": _l("Its date is missing, or not possible."),
    "import_more": _l("Only the newest 10,000 posts are imported."),
    "import_broken": _l("It can’t be read."),
    "elsewhere_member": _l("This account is on another site."),
    "elsewhere_post": _l("This post is on another site."),
}
