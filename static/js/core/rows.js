// Opens the page of a row, such as a post or a notification, when the reader presses beside its links.
const LINKS = ".status-time, .notification-status a, .entry-words a, .person-link"
const CONTROLS = "a, button, label, form, summary, video, .gallery, .poll"

export function open(row, event) {
  const { target, button, ctrlKey, metaKey } = event
  const link = row.querySelector(LINKS) ?? row.querySelector("a")
  const control = target.closest(CONTROLS)
  const isSelecting = !getSelection().isCollapsed
  if (row.contains(control) || isSelecting || event.defaultPrevented) return
  if (button === 1 || ctrlKey || metaKey) window.open(link.href, "_blank", "noopener")
  else if (!button) link.click()
}
