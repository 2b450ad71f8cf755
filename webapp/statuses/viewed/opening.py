"""What happens when a member opens the page of a post."""

from __future__ import annotations

from webapp.statuses.status import Status
from webapp.statuses.view_counts.viewers import count_views, current_batch

from .store import note_viewed


def note_opened(viewer_uid: int, status: Status) -> None:
    """Count a view of a post, and keep it for the viewer if they want that. No trip."""
    count_views([status.id])
    if viewer_uid != status.author.uid:
        current_batch().add_command(note_viewed(viewer_uid, status.id))
