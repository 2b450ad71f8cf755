// The list of messages of an open chat: their order, their days, and the parts that depend on the
// reader.
const GROUPING_WINDOW = 5 * 60_000 // ms in which messages of one author are grouped
const QUOTE_MAX = 125 // characters; the server makes quotes of this length too
const lang = document.documentElement.lang
const clock = new Intl.DateTimeFormat(lang, { timeStyle: "short" })
const day = new Intl.DateTimeFormat(lang, { weekday: "long", month: "long", day: "numeric" })
const dayOfOtherYear = new Intl.DateTimeFormat(lang, { dateStyle: "long" })
const editedTexts = new Map() // id → the text of an edited or deleted message

export const list = document.querySelector("[data-chat]")
const { me, login, name, you } = list.dataset
export const messages = () => [...list.querySelectorAll(":scope > [data-message]")]
export const idOf = message => Number(message?.dataset.message ?? 0)
// Who wrote a message, and what.
export const wordsOf = message =>
  [".message-by", ".message-text"].map(part => message.querySelector(part)?.textContent.trim())
export const parseHtml = html => new DOMParser().parseFromString(html, "text/html")

// Mark the reader's own messages: the server sends the same HTML to every member.
export function personalize(message) {
  message.tabIndex = -1
  message.classList.toggle("mine", message.dataset.by === me)
  for (const button of message.querySelectorAll(".reaction")) {
    const reacted = button.dataset.uids.split(" ").includes(me)
    button.ariaPressed = reacted
    if (!reacted) continue
    const action = button.getAttribute("formaction").replace(/\/react$/, "/unreact")
    button.setAttribute("formaction", action)
    const others = button.title.split(", ").filter(one => one !== name && one !== you)
    button.title = [you, ...others].join(", ")
  }
  for (const mention of message.querySelectorAll("[data-mention]")) {
    mention.classList.toggle("mention-me", mention.dataset.mention === login)
  }
  for (const time of message.querySelectorAll("[data-clock]")) {
    time.textContent = clock.format(new Date(time.dateTime))
  }
  updateQuotes(message)
}

// Quotes of a message that was edited or deleted show its new text.
export function noteEdit(message) {
  if (!message.querySelector(".message-edited, .message-deleted")) return
  const characters = [...message.querySelector(".message-text").textContent]
  const start = characters.slice(0, QUOTE_MAX - 8).join("")
  const isLong = characters.length > QUOTE_MAX
  const text = isLong ? `${start.replace(/ [^ ]*$/, "")}...` : characters.join("")
  editedTexts.set(message.dataset.message, text)
  updateQuotes(list)
}

function updateQuotes(root) {
  for (const quote of root.querySelectorAll("[data-quote]")) {
    const text = editedTexts.get(quote.dataset.quote)
    const body = quote.querySelector("[dir]")
    if (text && body) body.textContent = text
  }
}

// Insert a message in its place, or replace the one with its id. Return true if it is new.
export function insert(message) {
  const old = document.getElementById(message.id)
  personalize(message)
  if (old) {
    const hadFocus = old.contains(document.activeElement)
    old.replaceWith(message)
    if (hadFocus) message.focus({ preventScroll: true })
    return false
  }
  const newer = messages().find(other => idOf(other) > idOf(message))
  const next = newer ?? list.querySelector(".pending")
  const divider = next?.previousElementSibling
  list.insertBefore(message, divider?.id === "new" ? divider : next)
  return true
}

// Put the days between messages, in the reader's zone, and join messages of one author.
export function arrange() {
  for (const row of list.querySelectorAll("[data-day]")) row.remove()
  let before
  for (const message of messages()) {
    const sentAt = new Date(message.dataset.at)
    const { by } = message.dataset
    const above = message.previousElementSibling
    const startsDay = sentAt.toDateString() !== before?.sentAt.toDateString()
    const startsNew = above?.id === "new"
    if (startsDay) (startsNew ? above : message).before(dayRow(sentAt))
    const isNear = !startsDay && sentAt - before.sentAt < GROUPING_WINDOW
    message.classList.toggle("joined", isNear && !startsNew && before.by === by)
    before = { sentAt, by }
  }
}

function dayRow(date) {
  const row = Object.assign(document.createElement("li"), { className: "divider divider-day" })
  const isThisYear = date.getFullYear() === new Date().getFullYear()
  const time = document.createElement("time")
  time.dateTime = date.toISOString()
  time.textContent = (isThisYear ? day : dayOfOtherYear).format(date)
  row.dataset.day = date.toDateString()
  row.append(time)
  return row
}
