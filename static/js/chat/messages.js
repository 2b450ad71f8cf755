// The messages of an open chat: what comes is put in its place, and the reader stays in theirs.
const JOINED = 5 * 60_000, NEAR = 48, SPEAK = 1_000, READ = 400 // ms; pixels from the end; ms; ms, and as long again
const list = document.querySelector("[data-chat]"), { chat, me, login } = list.dataset
const [box, jump, spoken, divider] = ["scroll", "jump", "spoken", "divider"].map(name => document.querySelector(`[data-${name}]`))
const csrf_token = document.getElementById("chat-act").elements.csrf_token.value
const lang = document.documentElement.lang
const clock = new Intl.DateTimeFormat(lang, { hour: "numeric", minute: "2-digit" })
const day = new Intl.DateTimeFormat(lang, { weekday: "long", month: "long", day: "numeric" })
const otherDay = new Intl.DateTimeFormat(lang, { dateStyle: "long" })
const reworded = new Map() // id → what quotes of it say by now
const later = new Map() // id → what came while messages before it are not shown
let read, fresh = 0, heard = [], stays = true, reading, speaking, loading

const messages = () => [...list.querySelectorAll(":scope > [data-message]")]
const idOf = message => Number(message?.dataset.message ?? 0)
const newest = () => idOf(messages().at(-1))
const whole = () => !list.hasAttribute("data-newer")
// The box scrolls from its end, which is 0, to what is above, below 0.
const atEnd = () => whole() && -box.scrollTop < NEAR
const toEnd = () => (box.scrollTop = 0)
const parsed = html => new DOMParser().parseFromString(html, "text/html")
const tell = (name, detail) => document.dispatchEvent(new CustomEvent(`linnet:${name}`, { detail }))

// What the server leaves to each reader's page.
function adopt(message) {
  message.tabIndex = -1
  message.classList.toggle("mine", message.dataset.by === me)
  for (const button of message.querySelectorAll(".reaction")) {
    const given = button.dataset.uids.split(" ").includes(me)
    button.ariaPressed = given
    if (given) button.setAttribute("formaction", button.getAttribute("formaction").replace(/\/react$/, "/unreact"))
  }
  for (const one of message.querySelectorAll("[data-mention]")) one.classList.toggle("mention-me", one.dataset.mention === login)
  for (const time of message.querySelectorAll("[data-clock]")) time.textContent = clock.format(new Date(time.dateTime))
  requote(message)
}

function requote(within) {
  for (const quote of within.querySelectorAll("[data-quote]")) {
    const words = reworded.get(quote.dataset.quote), said = quote.querySelector("[dir]")
    if (words && said) said.textContent = words
  }
}

// Quotes of a message that was edited or deleted say so too, as short as those that the server makes.
function reword(message) {
  if (!message.querySelector(".message-edited, .message-deleted")) return
  const words = [...message.querySelector(".message-text").textContent], start = words.slice(0, 117).join("")
  reworded.set(message.dataset.message, words.length > 125 ? start.replace(/ [^ ]*$/, "") + "..." : words.join(""))
  requote(list)
}

// Days are the reader's own; messages of one author stand together.
function arrange() {
  for (const one of list.querySelectorAll("[data-day]")) one.remove()
  let before
  for (const message of messages()) {
    const at = new Date(message.dataset.at), { by } = message.dataset, above = message.previousElementSibling
    const begins = at.toDateString() !== before?.at.toDateString(), isNew = above?.id === "new"
    if (begins) (isNew ? above : message).before(dayOf(at))
    message.classList.toggle("joined", !begins && !isNew && before.by === by && at - before.at < JOINED)
    before = { at, by }
  }
}

function dayOf(at) {
  const row = Object.assign(document.createElement("li"), { className: "divider divider-day" })
  const words = (at.getFullYear() === new Date().getFullYear() ? day : otherDay).format(at)
  row.dataset.day = at.toDateString()
  row.append(Object.assign(document.createElement("time"), { dateTime: at.toISOString(), textContent: words }))
  return row
}

// Puts a message where its id says, instead of what it was before; tells whether it is new here.
function put(message) {
  const id = idOf(message), old = document.getElementById(message.id)
  adopt(message)
  if (old) {
    const focused = old.contains(document.activeElement)
    old.replaceWith(message)
    if (focused) message.focus({ preventScroll: true })
    return false
  }
  const next = messages().find(one => idOf(one) > id) ?? list.querySelector(".pending")
  list.insertBefore(message, next?.previousElementSibling?.id === "new" ? next.previousElementSibling : next)
  return true
}

function take({ id, html }) {
  const message = document.adoptNode(parsed(html).querySelector("[data-message]"))
  const end = atEnd(), mine = message.dataset.by === me
  reword(message)
  if (!document.getElementById(message.id)) {
    if (id < idOf(messages()[0])) return
    if (!whole()) return mine ? location.assign(`/chats/${chat}?newest=1`) : later.set(id, html)
  }
  const comes = still(() => place(message, end))
  if (end || (comes && mine)) toEnd()
  tell("inserted", message)
  if (comes) tell("came", message)
  settle()
}

function place(message, end) {
  const comes = put(message)
  if (comes && message.dataset.by !== me) {
    if ((!end || document.hidden) && !fresh++) message.before(document.getElementById("new") ?? divider.content.firstElementChild)
    heard.push(message)
  }
  arrange()
  return comes
}

// What one reads stays where it is, whatever is done above or below it.
function still(act) {
  const top = box.getBoundingClientRect().top, place = one => one.getBoundingClientRect()
  const anchor = messages().find(one => place(one).bottom > top), was = anchor && place(anchor).top
  const result = act()
  if (anchor?.isConnected) box.scrollTop += place(anchor).top - was
  return result
}

// What follows from where the reader is now.
function settle() {
  stays = atEnd()
  list.toggleAttribute("data-watched", stays && !document.hidden)
  if (stays && !document.hidden) {
    fresh = 0
    reading ??= setTimeout(mark, READ * (1 + Math.random()))
  }
  jump.hidden = stays
  const { one, many, none } = jump.dataset
  jump.textContent = fresh ? (fresh === 1 ? one : many).replace("#", fresh) : none
  if (heard.length) speaking ??= setTimeout(speak, SPEAK)
}

async function mark() {
  const id = newest(), before = read
  reading = null
  if (!atEnd() || document.hidden || id <= read || "waiting" in list.dataset) return
  read = id
  const body = new URLSearchParams({ csrf_token, id })
  const answer = await fetch(`/chats/${chat}/read`, { method: "POST", body }).catch(() => null)
  if (!answer?.ok) read = before
}

// One sentence for all that came within a second, and none to whom reads elsewhere.
function speak() {
  const words = message => [".message-by", ".message-text"].map(part => message.querySelector(part)?.textContent.trim()).join(": ")
  if (stays) spoken.textContent = heard.length === 1 ? words(heard[0]) : jump.dataset.many.replace("#", heard.length)
  heard = []
  speaking = null
}

// The messages of a neighbouring page, and its link to the next.
async function load(link, parts) {
  loading = true
  const page = parsed(await fetch(link.href).then(answer => answer.text()).catch(() => ""))
  loading = false
  if (!page.querySelector("[data-chat]")) return
  still(() => {
    for (const message of page.querySelectorAll("[data-chat] > [data-message]")) put(document.adoptNode(message))
    for (const part of parts) {
      const [old, other] = [document, page].map(one => one.querySelector(part))
      other ? old?.replaceWith(document.adoptNode(other)) : old?.remove()
    }
    arrange()
  })
  if (link.rel === "next" && !page.querySelector("[data-newer]")) {
    list.removeAttribute("data-newer")
    for (const [id, html] of later) take({ id, html })
    later.clear()
  }
  tell("inserted", list)
  settle()
}

function reach() {
  if (loading) return
  const older = box.querySelector("[rel=prev]"), newer = box.querySelector("[rel=next]")
  if (older && box.scrollHeight + box.scrollTop < 2 * box.clientHeight) load(older, ["#begin"])
  else if (newer && -box.scrollTop < box.clientHeight) load(newer, [".chat-end:has([rel=next])", ".chat-newest:has(a)"])
}

for (const message of messages()) adopt(message)
arrange()
read = newest() // by the page itself
document.addEventListener("linnet:message", event => take(event.detail))
document.addEventListener("linnet:reload", () => location.reload())
document.addEventListener("linnet:gone", () => location.assign("/chats"))
document.addEventListener("visibilitychange", settle)
box.addEventListener("scroll", () => (settle(), reach()), { passive: true })
jump.addEventListener("click", () => (whole() ? toEnd() : location.assign(`/chats/${chat}?newest=1`)))
settle()
