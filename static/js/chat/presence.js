// Shows who is typing, who is here and who has read an open chat; keeps the list of chats current.
const TYPING_TIMEOUT = 5_000 // ms
const NAMES_MAX = 3
const REFRESH_INTERVAL = 5_000 // ms between two fetches of the list, and up to as long again
const list = document.querySelector("[data-chat]")
const rows = document.querySelector("[data-rows]")
const nameList = new Intl.ListFormat(document.documentElement.lang)
const typists = new Map() // uid → name and timer
const readers = new Map() // uid → name
let refreshedAt = 0
let refreshTimer
let lastBadge = ""
let presence = { uids: [] }

const find = name => document.querySelector(`[data-${name}]`)
const listen = (name, handle) =>
  document.addEventListener(`linnet:${name}`, event => handle(event.detail))
const isMe = uid => String(uid) === list.dataset.me

function setText(element, text) {
  element.hidden = !text
  element.textContent = text
}

function joinNames(names) {
  if (names.length <= NAMES_MAX) return nameList.format(names)
  const rest = names.length - NAMES_MAX + 1
  return nameList.format([...names.slice(0, NAMES_MAX - 1), `+${rest}`])
}

function showTypists() {
  const names = [...typists.values()].map(typist => typist.name)
  const { one, many } = find("typing").dataset
  const text = (names.length === 1 ? one : many).replace("#", () => joinNames(names))
  setText(find("typing"), names.length ? text : "")
}

function stopTyping(uid) {
  clearTimeout(typists.get(uid)?.timer)
  if (typists.delete(uid)) showTypists()
}

function onTyping({ uid, name }) {
  if (isMe(uid)) return
  clearTimeout(typists.get(uid)?.timer)
  typists.set(uid, { name, timer: setTimeout(stopTyping, TYPING_TIMEOUT, uid) })
  showTypists()
}

function onSeen({ uid, id, name }) {
  if (!isMe(uid)) find("request-waits")?.setAttribute("hidden", "") // who is seen to read has accepted
  const newest = [...list.querySelectorAll("[data-message]")].at(-1)?.dataset ?? {}
  if (String(id) !== newest.message || String(uid) === newest.by || isMe(uid)) return
  readers.set(uid, name)
  const text = find("seen").dataset.words.replace("#", () => joinNames([...readers.values()]))
  setText(find("seen"), text)
}

function onNewMessage(message) {
  readers.clear()
  setText(find("seen"), "")
  stopTyping(Number(message.dataset.by))
  // The first message puts the chat on the list, and the answer to a request accepts it.
  const isListed = rows?.querySelector(`[data-row="${list.dataset.chat}"]`)
  if (!isListed || find("request-waits")?.hidden === false) refreshSoon()
  document.querySelector(".chat-menu").hidden = false
}

function onPresence(detail) {
  presence = detail
  const others = detail.uids.filter(uid => !isMe(uid)).length
  const { one, many } = find("present").dataset
  setText(find("present"), others ? (others === 1 ? one : many).replace("#", others) : "")
}

// A page of the chat that shows no message marks none as read.
async function refresh() {
  refreshTimer = null
  refreshedAt = Date.now()
  if (document.hidden) return
  const url = list ? `/chats/${list.dataset.chat}?before=1` : location.href
  const response = await fetch(url).catch(() => null)
  const html = response?.ok && (await response.text().catch(() => ""))
  if (!html) return
  const page = new DOMParser().parseFromString(html, "text/html")
  for (const selector of ["[data-rows]", "[data-title]", "[data-request-waits]"]) {
    const old = document.querySelector(selector)
    const replacement = page.querySelector(selector)
    const isInUse = old?.contains(document.activeElement)
    if (old && replacement && !isInUse) old.replaceWith(document.adoptNode(replacement))
  }
  if (list) onPresence(presence)
  document.dispatchEvent(new CustomEvent("linnet:inserted", { detail: document }))
}

function refreshSoon() {
  const wait = Math.max(refreshedAt + REFRESH_INTERVAL - Date.now(), 200)
  const spread = refreshedAt ? Math.random() * REFRESH_INTERVAL : 0
  refreshTimer ??= setTimeout(refresh, wait + spread)
}

// Messages of the open chat show there; the list follows those of the others.
listen("badge", ({ chats }) => {
  const { [list?.dataset.chat]: _open, ...others } = chats
  const badge = JSON.stringify(others)
  if (lastBadge && lastBadge !== badge && rows) refreshSoon()
  lastBadge = badge
})
if (list) {
  for (const reader of document.querySelectorAll("[data-reader]")) {
    readers.set(Number(reader.dataset.reader), reader.textContent)
  }
  listen("typing", onTyping)
  listen("seen", onSeen)
  listen("came", onNewMessage)
  listen("here", onPresence)
  listen("chat", refreshSoon)
}
document.addEventListener("visibilitychange", () => {
  if (!refreshTimer && !document.hidden && rows) refreshSoon()
})
