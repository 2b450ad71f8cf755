// Listens, once a page, for unread counts and for what happens in the open chat; tells the page.
import { connect } from "../core/connection.js"

const READING_DELAY = 2_000 // ms in which the reader sees a new message of the open chat
const EVENTS = ["message", "mark", "reload", "chat", "gone", "typing", "seen", "here", "badge"]
const chat = document.querySelector("[data-chat]")
const hasOwnStream = document.querySelector("[data-stream]")
const title = document.title
let lastEventId = chat?.dataset.position
let badgeTimer = 0

function forward(source) {
  for (const name of EVENTS) {
    source.addEventListener(name, event => {
      if (chat && event.lastEventId) lastEventId = event.lastEventId
      const detail = JSON.parse(event.data)
      document.dispatchEvent(new CustomEvent(`linnet:${name}`, { detail }))
    })
  }
}

function address() {
  const query = chat ? `?chat=${chat.dataset.chat}&since=${lastEventId}` : ""
  return document.body.dataset.chats + query
}

function showNumber(element, number) {
  element.hidden = !number
  element.firstElementChild.textContent = number
}

function showBadges({ all, requests, chats, notifications }) {
  const counts = { chats: all + requests, requests, notifications }
  for (const badge of document.querySelectorAll("[data-badge]")) {
    showNumber(badge, counts[badge.dataset.badge])
  }
  for (const row of document.querySelectorAll("[data-unread]")) {
    showNumber(row, chats[row.dataset.unread])
  }
  const total = counts.chats + notifications
  if (!hasOwnStream) document.title = total ? `(${total}) ${title}` : title
}

document.addEventListener("linnet:badge", ({ detail }) => {
  clearTimeout(badgeTimer)
  const isBeingRead = "watched" in (chat?.dataset ?? {}) && detail.chats[chat.dataset.chat]
  badgeTimer = setTimeout(showBadges, isBeingRead ? READING_DELAY : 0, detail)
})
if (hasOwnStream) {
  document.addEventListener("linnet:source", event => forward(event.detail))
} else {
  const close = connect({
    address,
    isWanted: () => !document.hidden || chat,
    onOpen: forward,
  })
  document.addEventListener("linnet:gone", close)
}
