// Shows the messages of an open chat as they come, and keeps the reader's place.
import { emit } from "../core/posts.js"
import {
  arrange,
  idOf,
  insert,
  list,
  messages,
  noteEdit,
  parseHtml,
  personalize,
  wordsOf,
} from "./message-list.js"

const NEAR_END = 48 // pixels
const ANNOUNCE_DELAY = 1_000 // ms
const READ_DELAY = 400 // ms, and up to as long again
const SHOWN_MAX = 300 // messages; the link to older ones leads to the rest
const { chat, me } = list.dataset
const [box, jump, spoken, divider, older] = [
  "scroll",
  "jump",
  "spoken",
  "divider",
  "older-link",
].map(name => document.querySelector(`[data-${name}]`))
const csrf_token = document.getElementById("chat-act").elements.csrf_token.value
const heldBack = new Map() // id → HTML of messages that came while messages before them are not shown
let lastRead = 0
let unreadCount = 0
let unannounced = []
let isAtEnd = true
let readTimer
let announceTimer
let isLoading = false

const newestId = () => idOf(messages().at(-1))
const showsNewest = () => !list.hasAttribute("data-newer")
// The box scrolls from its end, which is 0, up to negative values.
const atEnd = () => showsNewest() && -box.scrollTop < NEAR_END
const scrollToEnd = () => {
  box.scrollTop = 0
}
const openNewest = () => location.assign(`/chats/${chat}?newest=1`)

function onMessage({ id, html }) {
  const message = document.adoptNode(parseHtml(html).querySelector("[data-message]"))
  const wasAtEnd = atEnd()
  const isMine = message.dataset.by === me
  noteEdit(message)
  if (!document.getElementById(message.id)) {
    if (id < idOf(messages()[0])) return
    if (!showsNewest()) return isMine ? openNewest() : heldBack.set(id, html)
  }
  const isNew = keepingPlace(() => insertAndArrange(message, wasAtEnd))
  if (wasAtEnd) dropOldest()
  if (wasAtEnd || (isNew && isMine)) scrollToEnd()
  emit("inserted", message)
  if (isNew) emit("came", message)
  updatePosition()
}

function insertAndArrange(message, wasAtEnd) {
  const isNew = insert(message)
  if (isNew && message.dataset.by !== me) {
    const isUnread = !wasAtEnd || document.hidden
    if (isUnread && !unreadCount++) {
      message.before(document.getElementById("new") ?? divider.content.firstElementChild)
    }
    unannounced.push(message)
  }
  arrange()
  return isNew
}

// A chat that is open for days does not grow without end.
function dropOldest() {
  const surplus = messages().slice(0, -SHOWN_MAX)
  if (!surplus.length) return
  for (const message of surplus) message.remove()
  arrange()
  const link = older.content.firstElementChild.cloneNode(true)
  link.rel = "prev"
  link.href = `/chats/${chat}?before=${idOf(messages()[0])}`
  document.getElementById("begin").replaceChildren(link)
}

// Change the list without moving the messages in sight.
function keepingPlace(change) {
  const boxTop = box.getBoundingClientRect().top
  const anchor = messages().find(message => message.getBoundingClientRect().bottom > boxTop)
  const oldTop = anchor?.getBoundingClientRect().top
  const result = change()
  if (anchor?.isConnected) box.scrollTop += anchor.getBoundingClientRect().top - oldTop
  return result
}

// Update all that depends on the reader's position.
function updatePosition() {
  isAtEnd = atEnd()
  list.toggleAttribute("data-watched", isAtEnd && !document.hidden)
  if (isAtEnd && !document.hidden) {
    unreadCount = 0
    readTimer ??= setTimeout(markRead, READ_DELAY * (1 + Math.random()))
  }
  jump.hidden = isAtEnd
  const { one, many, none } = jump.dataset
  jump.textContent = unreadCount ? (unreadCount === 1 ? one : many).replace("#", unreadCount) : none
  if (unannounced.length) announceTimer ??= setTimeout(announce, ANNOUNCE_DELAY)
}

async function markRead() {
  const id = newestId()
  const before = lastRead
  readTimer = null
  if (!atEnd() || document.hidden || id <= lastRead || "waiting" in list.dataset) return
  lastRead = id
  const body = new URLSearchParams({ csrf_token, id })
  const response = await fetch(`/chats/${chat}/read`, { method: "POST", body }).catch(() => null)
  if (!response?.ok) lastRead = before
}

// Say one sentence for all that came within a second, unless the reader is elsewhere in the chat.
function announce() {
  if (isAtEnd) {
    const count = unannounced.length
    spoken.textContent =
      count === 1 ? wordsOf(unannounced[0]).join(": ") : jump.dataset.many.replace("#", count)
  }
  unannounced = []
  announceTimer = null
}

// Add the messages of a neighbouring page, and its link to the next.
async function loadPage(link, replaced) {
  isLoading = true
  const response = await fetch(link.href).catch(() => null)
  const page = parseHtml((await response?.text().catch(() => "")) ?? "")
  isLoading = false
  if (!page.querySelector("[data-chat]")) return
  keepingPlace(() => {
    for (const message of page.querySelectorAll("[data-chat] > [data-message]")) {
      insert(document.adoptNode(message))
    }
    for (const selector of replaced) replaceFrom(page, selector)
    arrange()
  })
  if (link.rel === "next" && !page.querySelector("[data-newer]")) showHeldBack()
  emit("inserted", list)
  updatePosition()
}

function play() {
  if (list.querySelector("[data-play]")) import("../core/animations.js")
}

function replaceFrom(page, selector) {
  const old = document.querySelector(selector)
  const replacement = page.querySelector(selector)
  if (replacement) old?.replaceWith(document.adoptNode(replacement))
  else old?.remove()
}

function showHeldBack() {
  list.removeAttribute("data-newer")
  for (const [id, html] of heldBack) onMessage({ id, html })
  heldBack.clear()
}

function onScroll() {
  updatePosition()
  if (isLoading) return
  const older = box.querySelector("[rel=prev]")
  const newer = box.querySelector("[rel=next]")
  if (older && box.scrollHeight + box.scrollTop < 2 * box.clientHeight) {
    loadPage(older, ["#begin"])
  } else if (newer && -box.scrollTop < box.clientHeight) {
    loadPage(newer, [".chat-end:has([rel=next])", ".chat-newest:has(a)"])
  }
}

for (const message of messages()) personalize(message)
arrange()
// The page itself has marked it as read, unless the browser loaded it ahead.
const [loaded] = performance.getEntriesByType("navigation") // none in some browsers
const isAhead = document.prerendering || loaded?.deliveryType === "navigational-prefetch"
if (!isAhead) lastRead = newestId()
document.addEventListener("linnet:inserted", play)
document.addEventListener("linnet:message", event => onMessage(event.detail))
document.addEventListener("linnet:reload", () => location.reload())
document.addEventListener("linnet:gone", () => location.assign("/chats"))
document.addEventListener("visibilitychange", updatePosition)
box.addEventListener("scroll", onScroll, { passive: true })
jump.addEventListener("click", () => (showsNewest() ? scrollToEnd() : openNewest()))
play()
updatePosition()
