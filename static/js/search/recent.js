// The last searches, which never leave this device: below an empty search box that has the focus, or on the page of
// search. They are a list of links: arrow keys move in it, Escape closes it.
import { announce } from "../core/announcements.js"
import { forget, keep, read } from "./kept.js"

const inPage = document.querySelector("[data-recent-searches]")
let list // what is shown
let box // its search box
let isDismissed = false // until the box is left or changed

export function show(field) {
  if (field.form.dataset.recent === undefined) return
  box = field
  if (inPage || list || isDismissed || field.value || document.activeElement !== field) return
  list = build(field.form)
  if (!list) return
  list.classList.add("recent-searches-below")
  field.closest(".search").append(list)
  announce(field.form.dataset.recentHint)
}

function build(form) {
  const queries = read()
  if (!queries.length) return null
  const { recent, recentClear } = form.dataset
  const section = document.createElement("section")
  section.className = "recent-searches"
  section.ariaLabel = recent
  const title = Object.assign(document.createElement("b"), { textContent: recent })
  const clear = document.createElement("button")
  Object.assign(clear, { type: "button", className: "button button-quiet button-small" })
  clear.textContent = recentClear
  clear.addEventListener("click", () => onClear(form))
  const links = document.createElement("ul")
  links.append(...queries.map(query => link(form, query)))
  section.append(title, clear, links)
  section.addEventListener("mousedown", event => event.preventDefault()) // the box keeps the focus
  return section
}

function link(form, query) {
  const item = document.createElement("li")
  const anchor = document.createElement("a")
  anchor.href = `${form.action}?${new URLSearchParams({ q: query })}`
  anchor.textContent = query
  anchor.dir = "auto"
  anchor.addEventListener("click", () => keep(query))
  item.append(anchor)
  return item
}

function onClear(form) {
  forget()
  close()
  form.querySelector(".search-box").focus()
  announce(form.dataset.recentCleared)
}

function close() {
  list?.remove()
  list = undefined
}

function onKey(event) {
  if (!list || event.isComposing || !(event.target === box || list.contains(event.target))) return
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return
  const stops = [box, ...list.querySelectorAll("a")]
  const steps = { ArrowDown: 1, ArrowUp: -1 }
  if (event.key in steps && !(event.target === box && box.value)) {
    const place = Math.max(stops.indexOf(event.target), 0) + steps[event.key]
    stops[(place + stops.length) % stops.length].focus()
  } else if (event.key === "Escape" && !inPage) {
    isDismissed = true
    box.focus()
    close()
  } else return
  event.preventDefault()
}

document.addEventListener("keydown", onKey)
document.addEventListener("input", ({ target }) => {
  if (target !== box || inPage) return
  isDismissed = false
  if (target.value) close()
  else show(target)
})
document.addEventListener("focusout", ({ target, relatedTarget }) => {
  const search = box?.closest(".search")
  if (!inPage && search?.contains(target) && !search.contains(relatedTarget)) {
    isDismissed = false
    close()
  }
})
if (inPage) {
  list = build(document.querySelector(".search-form"))
  box = document.querySelector(".search-box")
  if (list) inPage.append(list)
}
