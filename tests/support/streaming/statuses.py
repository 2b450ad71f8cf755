"""Post statuses that streams send."""

from tests.support.streaming.client import Scene
from webapp.core.text.parser import parse
from webapp.statuses import Place, store as statuses


def post_status(scene: Scene, text: str, place: Place | None = None, author: int = 0) -> int:
    """Post a status with its entities and return its id."""
    key = f"{text} {len(scene.log())}"
    return scene.do(statuses.post, author or scene.ann, parse(text), key, place)
