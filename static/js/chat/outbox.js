// Messages being sent from an open chat: each shows at once, arrives once however often it is tried,
// and is kept with its reason if it fails.
import { emit } from "../core/posts.js"
import { list, parseHtml } from "./message-list.js"

const template = document.querySelector("template[data-pending]").content.firstElementChild
const ANSWER_MAX = 90_000 // ms, longer than pictures may take: those behind a message wait for it
const outgoing = new Set() // messages being sent, or failed
const heldBack = new Map() // id → HTML of own messages that may be some that are being sent
let queue = Promise.resolve()

export const unsent = () => [...outgoing].filter(message => message.state !== "sent")

export const post = (url, body) =>
  fetch(url, {
    method: "POST",
    body,
    headers: { Accept: "application/json" },
    redirect: "manual",
    signal: AbortSignal.timeout(ANSWER_MAX),
  }).catch(() => null)
export const textOf = response => response?.text().catch(() => "") // it may break off

// Show a message as pending and send it. `preview` is its text; `onDiscard` gives the text back.
export function send(url, body, preview, onDiscard) {
  const element = document.importNode(template, true)
  const message = { url, body, element }
  element.querySelector(".message-text").textContent = preview
  element.querySelector("[data-retry]").addEventListener("click", () => deliver(message))
  element.querySelector("[data-discard]").addEventListener("click", () => {
    remove(message)
    onDiscard()
  })
  list.append(element)
  outgoing.add(message)
  deliver(message)
}

// One after the other, so that they arrive in the order they were written in.
function deliver(message) {
  showState(message, "sending")
  queue = queue.then(() => attempt(message)).catch(() => showState(message, "failed"))
}

async function attempt(message) {
  const response = await post(message.url, message.body)
  const text = (await textOf(response)) ?? ""
  if (response?.status === 201 && text) {
    message.id = JSON.parse(text).id
    showState(message, "sent")
  } else if (heldBack.size && !message.retried) {
    // One of those that came may be this one, whose answer was lost: then it gets the same id.
    message.retried = true
    return deliver(message)
  } else {
    const error = parseHtml(text).querySelector(
      "#composer .field-error, main > .error .error-sentence",
    )
    showState(message, "failed", error?.textContent)
  }
  release()
}

function showState(message, state, reason) {
  const footer = message.element.querySelector("[data-state]")
  message.state = state
  message.element.dataset.pending = state
  emit("outgoing")
  footer.textContent = reason?.trim() || footer.dataset[state]
  if (state === "failed") {
    document.querySelector("[data-spoken]").textContent = footer.textContent
  }
  for (const button of message.element.querySelectorAll("button")) {
    button.hidden = state !== "failed"
  }
}

// Once nothing is under way, it is known which of the reader's messages are on the page.
function release() {
  for (const message of outgoing) {
    const hasCome = heldBack.has(message.id) || document.getElementById(`m${message.id}`)
    if (message.id && hasCome) remove(message)
  }
  if ([...outgoing].some(message => message.state === "sending")) return
  const held = [...heldBack]
  heldBack.clear()
  for (const [id, html] of held) {
    emit("message", { id, html, released: true })
  }
}

function remove(message) {
  message.element.remove()
  outgoing.delete(message)
  emit("outgoing")
}

// Before messages.js hears of it.
document.addEventListener("linnet:message", event => {
  const { id, html, released } = event.detail
  const isMine = html.match(/ data-by="(\d+)"/)[1] === list.dataset.me
  if (released || !isMine || !outgoing.size || document.getElementById(`m${id}`)) return
  event.stopImmediatePropagation()
  heldBack.set(id, html)
  for (const message of outgoing) if (message.state === "failed") deliver(message)
  release()
})
