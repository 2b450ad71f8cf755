// Writing in an open chat: what is sent shows at once, is sent once however often it is tried, and is never just gone.
const TYPING = 3_000 // ms between two words that somebody is writing
const list = document.querySelector("[data-chat]"), act = document.getElementById("chat-act")
const [pendingLook, replyLook] = ["pending", "reply"].map(name => document.querySelector(`template[data-${name}]`).content.firstElementChild)
const form = document.querySelector("[data-chat-composer]"), base = `/chats/${list.dataset.chat}`
const draft = `draft:${list.dataset.me}:${base}`
const held = new Map(), pending = new Set() // own messages that may be some that are being sent: id → html
let typed = 0, before = Promise.resolve()

const ask = (url, body) =>
  fetch(url, { method: "POST", body, headers: { Accept: "application/json" }, redirect: "manual" }).catch(() => null)
const read = answer => answer?.text().catch(() => "") // which may break off
const key = () => [...crypto.getRandomValues(new Uint32Array(4))].map(part => part.toString(36)).join("-")
const parsed = html => new DOMParser().parseFromString(html, "text/html")
const composer = () => document.getElementById("composer")
const tell = (name, detail) => document.dispatchEvent(new CustomEvent(`linnet:${name}`, { detail }))

// One after the other, so that they arrive in the order they were written in.
function deliver(one) {
  show(one, "sending")
  before = before.then(() => attempt(one)).catch(() => show(one, "failed"))
}

async function attempt(one) {
  const answer = await ask(form.action, one.body), text = (await read(answer)) ?? ""
  if (answer?.status === 201 && text) {
    one.id = JSON.parse(text).id
    show(one, "sent")
  } else if (held.size && !one.again) {
    one.again = true // one of those that came may be this one, whose answer was lost: then it gets the same id
    return deliver(one)
  } else {
    show(one, "failed", parsed(text).querySelector("#composer .field-error, main > .error p")?.textContent)
  }
  release()
}

function show(one, state, why) {
  const foot = one.look.querySelector("[data-state]")
  one.state = state
  one.look.dataset.pending = state
  foot.textContent = why?.trim() || foot.dataset[state]
  if (state === "failed") document.querySelector("[data-spoken]").textContent = foot.textContent
  for (const button of one.look.querySelectorAll("button")) button.hidden = state !== "failed"
}

// When nothing is under way it is known which of one's own messages are those on the page.
function release() {
  for (const one of pending) if (one.id && (held.has(one.id) || document.getElementById(`m${one.id}`))) forget(one)
  if ([...pending].some(one => one.state === "sending")) return
  const all = [...held]
  held.clear()
  for (const [id, html] of all) tell("message", { id, html, known: true })
}

function forget(one) {
  one.look.remove()
  pending.delete(one)
}

// Before chat.js hears of it.
document.addEventListener("linnet:message", event => {
  const { id, html, known } = event.detail
  const mine = html.match(/ data-by="(\d+)"/)[1] === list.dataset.me
  if (known || !mine || !pending.size || document.getElementById(`m${id}`)) return
  event.stopImmediatePropagation()
  held.set(id, html)
  for (const one of pending) if (one.state === "failed") deliver(one)
  release()
})

function send() {
  const body = new FormData(form), { text, status } = form.elements, words = text.value.trim()
  const files = body.getAll("pictures").filter(file => file.name)
  if (!words && !files.length && !status.value) return
  body.set("key", key())
  const one = { body, look: document.importNode(pendingLook, true) }
  one.look.querySelector(".message-text").textContent = [words, ...files.map(file => file.name)].filter(Boolean).join("\n")
  one.look.querySelector("[data-retry]").addEventListener("click", () => deliver(one))
  one.look.querySelector("[data-discard]").addEventListener("click", () => (forget(one), (text.value ||= words), text.focus()))
  list.append(one.look)
  pending.add(one)
  clear()
  deliver(one)
}

function clear() {
  const { text, status, reply } = form.elements
  for (const field of [text, status, reply, ...form.querySelectorAll("[data-files] input")]) field.value = ""
  form.querySelector(".chat-attach").open = false
  for (const about of form.querySelectorAll(".chat-about")) about.remove()
  sessionStorage.removeItem(draft)
  typed = 0
}

function answerTo(message) {
  const look = document.importNode(replyLook, true), [to, quote] = look.querySelectorAll("b, bdi")
  const [name, words] = [".message-by", ".message-text"].map(part => message.querySelector(part)?.textContent.trim())
  to.textContent = to.dataset.words.replace("#", () => name)
  quote.textContent = words ?? ""
  look.querySelector("button").addEventListener("click", leave)
  leave()
  form.elements.reply.value = message.dataset.message
  form.prepend(look)
  form.elements.text.focus()
}

// The form in which a message is given other words takes the composer's place until then.
async function edit(link) {
  const other = parsed(await read(await fetch(link.href).catch(() => null))).getElementById("composer")
  if (!other || other.hasAttribute("data-chat-composer")) return location.assign(link.href)
  swap(document.adoptNode(other))
}

function swap(other) {
  composer().replaceWith(other)
  const field = other.elements.text
  field.focus()
  field.setSelectionRange(field.value.length, field.value.length)
}

async function save(form) {
  const answer = await ask(form.action, new FormData(form))
  if (answer?.ok) return leave()
  const other = parsed(await read(answer)).getElementById("composer")
  if (other) swap(document.adoptNode(other))
}

function leave() {
  if (composer() !== form) return swap(form)
  form.elements.reply.value = ""
  form.querySelector("[data-reply]")?.remove()
}

function attach(files) {
  const places = [...form.querySelectorAll("[type=file]")].filter(place => !place.files.length)
  const pictures = [...files].filter(file => file.type.startsWith("image/"))
  for (const [at, file] of pictures.slice(0, places.length).entries()) {
    const one = new DataTransfer()
    one.items.add(file)
    places[at].files = one.files
    form.querySelector(".chat-attach").open = true
  }
  return pictures.length
}

// Reactions and deletions: the page stays where it is, unless there is something to say.
act.addEventListener("submit", async event => {
  const button = event.submitter
  if (!button?.closest("[data-message]") || act.dataset.plain) return
  event.preventDefault()
  button.closest(".message-menu")?.removeAttribute("open")
  const answer = await ask(button.formAction, new FormData(act, button))
  if (!answer || answer.ok) return
  act.dataset.plain = true
  act.requestSubmit(button)
})

list.addEventListener("click", event => {
  const link = event.target.closest("[data-do=reply], [data-do=edit]"), message = link?.closest("[data-message]")
  if (!link || !form || event.ctrlKey || event.metaKey) return
  event.preventDefault()
  link.closest("details").open = false
  link.dataset.do === "edit" ? edit(link) : answerTo(message)
})

document.getElementById("act").addEventListener("submit", event => {
  if (!form || event.target.id !== "composer") return
  event.preventDefault()
  event.target === form ? send() : save(event.target)
})

document.getElementById("act").addEventListener("keydown", event => {
  const field = event.target.closest("#composer textarea")
  if (!field || !form || event.isComposing) return
  if (event.key === "Enter" && !event.shiftKey && matchMedia("(pointer: fine)").matches) field.form.requestSubmit()
  else if (event.key === "Escape") leave()
  else if (event.key === "ArrowUp" && field.form === form && !field.value) [...list.querySelectorAll(".mine [data-do=edit]")].at(-1)?.click()
  else return
  event.preventDefault()
})

if (form) {
  const { text } = form.elements
  text.value ||= sessionStorage.getItem(draft) ?? ""
  text.addEventListener("input", () => {
    sessionStorage.setItem(draft, text.value)
    if (!text.value || Date.now() - typed < TYPING || "waiting" in list.dataset) return
    typed = Date.now()
    ask(`${base}/typing`, new FormData(act))
  })
  text.addEventListener("paste", event => attach(event.clipboardData.files) && event.preventDefault())
  const pane = form.closest(".chat-pane")
  pane.addEventListener("dragover", event => event.dataTransfer.types.includes("Files") && event.preventDefault())
  pane.addEventListener("drop", event => attach(event.dataTransfer.files) && event.preventDefault())
  document.addEventListener("linnet:leave", leave)
  addEventListener("beforeunload", event => [...pending].some(one => one.state !== "sent") && event.preventDefault())
}
