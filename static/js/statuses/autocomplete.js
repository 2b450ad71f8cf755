// Suggests members after an @ and hashtags after a #, in a list at the caret. Arrows move in it, Enter and Tab
// take, Escape closes. The words of a Chinese input method are looked up once they are chosen.
// In a search box, a plain text suggests both, and an option opens its page.
import { announce } from "../core/announcements.js"
import { rectAt } from "./caret.js"

const DELAY = 150 // ms after the last key
const GAP = 8 // px to the window's edge
const NAME = "[\\p{L}\\p{M}\\p{N}_]"
const TOKEN = new RegExp(`(?<![\\p{L}\\p{M}\\p{N}_@#＠＃/&.])([@#＠＃])(${NAME}{0,50})$`, "u")
const PLAIN = new RegExp(`^${NAME}+( ${NAME}+)*$`, "u") // the text of a search box, without operators
const REST = new RegExp(`^${NAME}*`, "u")
const PAGES = {
  "@": "/autocomplete/members",
  "#": "/autocomplete/tags",
  "": "/autocomplete/search",
}
const ARIA = { role: "combobox", "aria-autocomplete": "list", "aria-controls": "completions" }

const list = document.createElement("div")
list.id = "completions"
list.className = "completions"
list.popover = "manual"
let field
let token // the one whose list is open or requested
let dismissed // start of a token that the member wants no list for
let active = -1
let timer
let requests = 0

const isOpen = () => list.matches(":popover-open")
const options = () => [...list.querySelectorAll("[role=option]")]

// The mention or hashtag before the caret: its sign and the letters after it; else the plain text of a search box.
function tokenIn({ value, selectionStart, selectionEnd, dataset }) {
  const query = value.trim()
  if (dataset.complete && PLAIN.test(query)) return { sigil: "", query, start: 0 }
  const match = selectionStart === selectionEnd && TOKEN.exec(value.slice(0, selectionStart))
  if (!match) return null
  const end = selectionStart + REST.exec(value.slice(selectionStart))[0].length
  return { sigil: match[1].normalize("NFKC"), query: match[2], start: match.index, end }
}

export function onInput({ target, isComposing }) {
  if (isComposing || target !== document.activeElement) return // a script fills other fields
  if (field !== target) dismissed = undefined
  field = target
  lookUp()
}

function lookUp() {
  const before = token
  clearTimeout(timer)
  requests += 1 // the answer to an earlier question comes too late
  token = tokenIn(field)
  if (token?.start !== dismissed) dismissed = undefined
  if (token?.start !== before?.start || token?.sigil !== before?.sigil) close()
  if (!token || dismissed !== undefined) return close()
  timer = setTimeout(fetchList, DELAY, requests)
}

async function fetchList(number) {
  const address = `${PAGES[token.sigil]}?${new URLSearchParams({ q: token.query })}`
  const response = await fetch(address).catch(() => null)
  const text = response?.ok && !response.redirected ? await response.text() : ""
  if (number !== requests) return
  const found = new DOMParser().parseFromString(text, "text/html").querySelector("[role=listbox]")
  if (!found || document.activeElement !== field) return close()
  show(found)
}

function show(found) {
  if (!list.isConnected) document.querySelector("main").append(list)
  list.role = "listbox"
  list.ariaLabel = found.ariaLabel
  list.dataset.query = token.query
  list.replaceChildren(...found.children)
  list.showPopover()
  for (const [name, value] of Object.entries(ARIA)) field.setAttribute(name, value)
  field.ariaExpanded = "true"
  place()
  // Otherwise Enter searches for the text, or ends the line.
  activate(token.sigil && token.query ? 0 : -1)
  announce(found.dataset.count)
}

function close() {
  clearTimeout(timer)
  requests += 1
  active = -1
  if (!isOpen()) return
  list.hidePopover()
  for (const name of [...Object.keys(ARIA), "aria-activedescendant", "aria-expanded"])
    field.removeAttribute(name)
}

// Below the line or the search box, or above it if there is more room; never under a phone's keyboard.
function place() {
  const isSearch = field.dataset.complete
  const box = isSearch ? field.form.getBoundingClientRect() : rectAt(field, token.start)
  const { left, top, bottom } = box
  list.style.minWidth = isSearch ? `${box.width}px` : ""
  const { offsetTop, height } = window.visualViewport
  const below = offsetTop + height - bottom - 2 * GAP
  const above = top - offsetTop - 2 * GAP
  const isBelow = below >= Math.min(list.scrollHeight, above)
  list.style.setProperty("--room", `${isBelow ? below : above}px`)
  const y = isBelow ? bottom + GAP / 2 : top - GAP / 2 - list.offsetHeight
  const x = Math.min(left, document.documentElement.clientWidth - list.offsetWidth - GAP)
  list.style.setProperty("--top", `${y}px`)
  list.style.setProperty("--left", `${Math.max(GAP, x)}px`)
}

function activate(index) {
  active = index
  for (const [number, option] of options().entries()) {
    option.id = `completion-${number}`
    option.ariaSelected = String(number === index)
  }
  if (index < 0) return field.removeAttribute("aria-activedescendant")
  field.setAttribute("aria-activedescendant", `completion-${index}`)
  options()[index].scrollIntoView({ block: "nearest" })
}

function take(option) {
  if (option.dataset.href) return location.assign(option.dataset.href)
  const { start, end, sigil } = token
  const isSpaced = /^\s/.test(field.value.slice(end))
  field.setRangeText(sigil + option.dataset.value + (isSpaced ? "" : " "), start, end, "end")
  if (isSpaced) field.selectionStart = field.selectionEnd += 1
  close()
  field.dispatchEvent(new Event("input", { bubbles: true }))
}

function onKey(event) {
  if (!isOpen() || event.target !== field || event.isComposing || event.keyCode === 229) return
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return
  const all = options()
  const steps = { ArrowDown: 1, ArrowUp: active < 0 ? 0 : -1 }
  if (event.key in steps) activate((active + steps[event.key] + all.length) % all.length)
  else if (event.key === "Escape") dismiss()
  else if (event.key === "Enter" || event.key === "Tab") {
    const option = all[event.key === "Tab" && token.sigil ? Math.max(active, 0) : active]
    // Who has typed the whole name, or goes on to one that is not listed, means the key itself.
    if (!option || !isMeant(option)) return close()
    take(option)
  } else return
  event.preventDefault()
  event.stopPropagation()
}

function isMeant({ dataset, textContent }) {
  const query = token.query.toLowerCase()
  if (token.sigil && dataset.value.toLowerCase() === query) return false
  return token.query === list.dataset.query || textContent.toLowerCase().includes(query)
}

function dismiss() {
  dismissed = token.start
  close()
}

// Before the page's own handlers: in a chat, Enter would send and Escape would end an edit.
document.addEventListener("keydown", onKey, true)
document.addEventListener("compositionend", ({ target }) => {
  if (target === field || "complete" in target.dataset) onInput({ target })
})
document.addEventListener("selectionchange", () => {
  if (isOpen() && tokenIn(field)?.start !== token.start) close()
})
document.addEventListener("focusout", ({ target }) => target === field && close())
for (const source of [window, window.visualViewport]) {
  for (const type of ["scroll", "resize"])
    source.addEventListener(type, () => isOpen() && place(), { passive: true })
}
list.addEventListener("mousedown", event => event.preventDefault()) // the field keeps the focus
list.addEventListener("click", ({ target }) => {
  const option = target.closest("[role=option]")
  if (option) take(option)
})
