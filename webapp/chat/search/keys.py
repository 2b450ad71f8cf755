"""The keys of the index of a chat's messages. They change in the scripts that change messages."""

from webapp.chat.keys import ChatKey
from webapp.core.store.schema import Hash, ZSet

chat_postings = ChatKey(
    "postings",
    ZSet("term, message id", "0"),
    bound="CHAT_HISTORY, 200 terms each",
    doc="""Which messages have a term: a stem, two characters of Chinese, Japanese or Korean, a
    hashtag, or a fact such as `has=media`. `term cid`: the letter before the id says how many
    digits it has, so that entries sort by term, then by id.""",
)

chat_search_records = ChatKey(
    "search_records",
    Hash("message id", "its words and terms"),
    bound="as the messages",
    doc="""The words of a message: its stems in order, which phrases are compared with; its other
    terms, and `by=uid`. A deleted message has none.""",
)
