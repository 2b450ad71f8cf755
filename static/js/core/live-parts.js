// Keeps a page up to date while it is looked at: replaces each part marked as live by its newer version.
import { emit } from "./posts.js"

const FOCUSABLE = "a, button, summary, [tabindex]"
const { refresh, source } = document.querySelector("[data-refresh]").dataset
const all = (part, selector) => [...part.querySelectorAll(selector)]

async function renew() {
  const parts = all(document, "[data-live]")
  if (!parts.length || document.hidden || !document.getSelection().isCollapsed) return
  const response = await fetch(source ?? location.href).catch(() => null)
  if (!response?.ok || response.redirected) return
  const page = new DOMParser().parseFromString(await response.text(), "text/html")
  for (const part of parts) {
    const newPart = page.getElementById(part.id)
    if (newPart && newPart.innerHTML !== part.innerHTML) replace(part, newPart)
  }
}

// An open table stays open and scrolled, and the focus stays where it is.
function replace(part, newPart) {
  const places = all(part, ".data-table").map(table => [table.scrollLeft, table.scrollTop])
  const focused = all(part, FOCUSABLE).indexOf(document.activeElement)
  for (const { id } of all(part, "details[open]")) newPart.querySelector(`#${id}`).open = true
  part.replaceWith(newPart)
  for (const [index, table] of all(newPart, ".data-table").entries())
    table.scrollTo(...(places[index] ?? [0, 0]))
  all(newPart, FOCUSABLE)[focused]?.focus({ preventScroll: true })
  emit("inserted", newPart)
}

setInterval(renew, refresh * 1000)
document.addEventListener("visibilitychange", renew)
