// Offers, on an open page of notifications, those that came meanwhile.
import { renewParts } from "../core/replace-parts.js"

const bar = document.querySelector("main > .live")
const button = bar?.firstElementChild
const list = () => document.querySelector(".notification-list")

document.addEventListener("linnet:badge", ({ detail: { notifications } }) => {
  if (!bar) return
  const count = notifications - list().dataset.stillUnread // those on later pages were unread before
  button.hidden = count <= 0
  button.textContent = bar.dataset[count === 1 ? "one" : "many"].replace("#", count)
})

// The server marks the notifications it sends as read, and tells all open pages.
button?.addEventListener("click", async () => {
  button.hidden = true
  await renewParts(".notification-list", { "X-Viewed-By-Person": "1" })
  list().focus({ preventScroll: true })
  scrollTo({ top: 0 })
})
