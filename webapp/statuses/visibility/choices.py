"""Labels of visibilities and reply policies in forms."""

from flask_babel import lazy_gettext as _l

from webapp.statuses.values.reply_policy import ReplyPolicy
from webapp.statuses.values.visibility import Visibility

VISIBILITY_LABELS = {
    Visibility.PUBLIC: _l("Everyone"),
    Visibility.UNLISTED: _l("Unlisted: not shown on Explore or hashtags"),
    Visibility.FOLLOWERS: _l("My followers"),
    Visibility.MENTIONED: _l("Only people I mention"),
}
REPLY_POLICY_LABELS = {
    ReplyPolicy.EVERYBODY: _l("Everyone"),
    ReplyPolicy.FOLLOWED: _l("People I follow"),
    ReplyPolicy.MENTIONED: _l("Only people I mention"),
}
