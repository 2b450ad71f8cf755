"""Load the first picture of a page at once, as the reader waits for it."""

FIRST_SCREEN = 8  # chunks of a page
GALLERY, LAZY, EAGER = b'<div class="gallery', b'loading="lazy"', b'fetchpriority="high"'
FOLD = b"<details"


def with_eager_picture(chunks: list[bytes]) -> list[bytes]:
    """Return the chunks of a page whose first picture loads at once, unless it is folded up."""
    for place, chunk in enumerate(chunks[:FIRST_SCREEN]):
        before, gallery, rest = chunk.partition(GALLERY)
        if gallery:
            is_folded = FOLD in before or (place and chunks[place - 1].lstrip().startswith(FOLD))
            if not is_folded:
                chunks[place] = before + gallery + rest.replace(LAZY, EAGER, 1)
            break
    return chunks
