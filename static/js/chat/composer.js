// Writing in an open chat: sending, replying, editing, reacting, attaching pictures.
import { isUnanswered, showUnsent } from "../core/announcements.js"
import { list, parseHtml, wordsOf } from "./message-list.js"
import { post, send, textOf, unsent } from "./outbox.js"

const TYPING_INTERVAL = 3_000 // ms between two words that the member is typing
const form = document.querySelector("[data-chat-composer]")
const actionForm = document.getElementById("chat-act")
const replyTemplate = document.querySelector("template[data-reply]").content.firstElementChild
const chatUrl = `/chats/${list.dataset.chat}`
const draftKey = `draft:${list.dataset.me}:${chatUrl}`
let typedAt = 0

const composer = () => document.getElementById("composer")
const randomKey = () =>
  [...crypto.getRandomValues(new Uint32Array(4))].map(part => part.toString(36)).join("-")

function onSend() {
  const body = new FormData(form)
  const { text, status } = form.elements
  const typed = text.value.trim()
  const files = body.getAll("pictures").filter(file => file.name)
  if (!typed && !files.length && !status.value) return
  body.set("key", randomKey())
  const preview = [typed, ...files.map(file => file.name)].filter(Boolean).join("\n")
  clear()
  send(form.action, body, preview, () => {
    text.value ||= typed
    text.focus()
  })
}

function clear() {
  const { text, status, reply } = form.elements
  const fields = [text, status, reply, ...form.querySelectorAll(".chat-attach input")]
  for (const field of fields) field.value = ""
  form.querySelector(".chat-attach").open = false
  document.dispatchEvent(new Event("linnet:blank"))
  for (const preview of form.querySelectorAll(".chat-about")) preview.remove()
  typedAt = 0
}

function replyTo(message) {
  const preview = document.importNode(replyTemplate, true)
  const [name, quote] = preview.querySelectorAll("b, bdi")
  const [author, text] = wordsOf(message)
  name.textContent = name.dataset.words.replace("#", () => author)
  quote.textContent = text ?? ""
  preview.querySelector("button").addEventListener("click", backToWriting)
  backToWriting()
  form.elements.reply.value = message.dataset.message
  form.prepend(preview)
  form.elements.text.focus()
}

// The form that edits a message takes the composer's place until it is saved.
async function edit(link) {
  const response = await fetch(link.href).catch(() => null)
  const editForm = parseHtml(await textOf(response)).getElementById("composer")
  if (!editForm || editForm.hasAttribute("data-chat-composer")) return location.assign(link.href)
  show(document.adoptNode(editForm))
}

async function saveEdit(editForm) {
  const response = await post(editForm.action, new FormData(editForm))
  if (isUnanswered(response)) return showUnsent()
  if (response.ok) return backToWriting()
  const refused = parseHtml(await textOf(response)).getElementById("composer")
  if (refused) show(document.adoptNode(refused))
  else editForm.submit() // the page that answers says why
}

function show(otherForm) {
  composer().replaceWith(otherForm)
  const field = otherForm.querySelector("textarea")
  field.focus()
  field.setSelectionRange(field.value.length, field.value.length)
}

function backToWriting() {
  if (composer() !== form) return show(form)
  form.elements.reply.value = ""
  form.querySelector("[data-reply]")?.remove()
}

function attach(chosen) {
  const files = [...chosen]
  if (!files.length) return false
  const part = form.querySelector(".chat-attach")
  part.open = true
  import("../statuses/attachments.js").then(({ add }) => add(part, files))
  return true
}

// The focus would be lost with the button that is hidden.
function closeMenu(menu) {
  menu?.querySelector("summary").focus({ preventScroll: true })
  menu?.removeAttribute("open")
}

// Reactions and deletions: the page stays where it is, unless there is something to say.
async function onAction(event) {
  const button = event.submitter
  if (!button?.closest("[data-message]") || actionForm.dataset.plain) return
  event.preventDefault()
  closeMenu(button.closest(".message-menu"))
  const response = await post(button.formAction, new FormData(actionForm, button))
  if (isUnanswered(response)) return showUnsent()
  if (response.ok) return
  actionForm.dataset.plain = true
  actionForm.requestSubmit(button)
}

function onListClick(event) {
  const link = event.target.closest("[data-do=reply], [data-do=edit]")
  if (!link || !form || event.ctrlKey || event.metaKey) return
  event.preventDefault()
  link.closest("details").open = false
  if (link.dataset.do === "edit") edit(link)
  else replyTo(link.closest("[data-message]"))
}

function onKey(event) {
  const field = event.target.closest("#composer textarea")
  if (!field || !form || event.isComposing || event.keyCode === 229) return
  const isSend = event.key === "Enter" && !event.shiftKey
  if (isSend && matchMedia("(pointer: fine)").matches) field.form.requestSubmit()
  else if (event.key === "Escape") backToWriting()
  else if (event.key === "ArrowUp" && field.form === form && !field.value) editLastMessage()
  else return
  event.preventDefault()
}

function editLastMessage() {
  const links = [...list.querySelectorAll(".mine [data-do=edit]")]
  links.at(-1)?.click()
}

// Until the server has them, messages and what is being written wait in the tab.
function keepText() {
  const texts = [...unsent().map(message => message.body.get("text")), form.elements.text.value]
  const kept = texts.filter(text => text.trim()).join("\n")
  if (kept) sessionStorage.setItem(draftKey, kept)
  else sessionStorage.removeItem(draftKey)
}

function onInput({ target }) {
  keepText()
  const isRecent = Date.now() - typedAt < TYPING_INTERVAL
  const isUnsent = "unsent" in list.dataset && !list.querySelector("[data-message]")
  if (!target.value || isRecent || isUnsent || "waiting" in list.dataset) return
  typedAt = Date.now()
  post(`${chatUrl}/typing`, new FormData(actionForm))
}

function startWriting() {
  const { text } = form.elements
  text.value ||= sessionStorage.getItem(draftKey) ?? ""
  text.addEventListener("input", onInput)
  const adder = form.querySelector(".picture-adder")
  adder.addEventListener("change", () => attach(adder.files))
  text.addEventListener("paste", event => {
    if (attach(event.clipboardData.files)) event.preventDefault()
  })
  const pane = form.closest(".chat-pane")
  pane.addEventListener("dragover", event => {
    if (event.dataTransfer.types.includes("Files")) event.preventDefault()
  })
  pane.addEventListener("drop", event => {
    if (attach(event.dataTransfer.files)) event.preventDefault()
  })
  document.addEventListener("linnet:outgoing", keepText)
  addEventListener("beforeunload", event => {
    if (unsent().length) event.preventDefault()
  })
}

actionForm.addEventListener("submit", onAction)
list.addEventListener("click", onListClick)
document.getElementById("chat-footer").addEventListener("submit", event => {
  if (!form || event.target.id !== "composer") return
  event.preventDefault()
  if (event.target === form) onSend()
  else saveEdit(event.target)
})
document.getElementById("chat-footer").addEventListener("keydown", onKey)
if (form) startWriting()
