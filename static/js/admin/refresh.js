// Keeps the page of operators up to date while it is looked at: replaces each part that has changed.
import { emit } from "../core/posts.js"

const { refresh } = document.querySelector("[data-refresh]").dataset

async function renew() {
  if (document.hidden) return
  const address = new URL(location.href)
  address.searchParams.set("live", "1")
  const response = await fetch(address).catch(() => null)
  if (!response?.ok || response.redirected) return
  const page = new DOMParser().parseFromString(await response.text(), "text/html")
  for (const part of document.querySelectorAll("[data-live]")) {
    const newPart = page.getElementById(part.id)
    if (newPart) replace(part, newPart)
  }
}

// An open table stays open and scrolled, and the focus stays where it is.
function replace(part, newPart) {
  if (document.getSelection().containsNode(part, true) && !document.getSelection().isCollapsed) return
  const places = [...part.querySelectorAll(".data-table")].map(table => table.scrollTop)
  const focused = [...part.querySelectorAll("a, button, summary, [tabindex]")].indexOf(document.activeElement)
  for (const open of part.querySelectorAll("details[open]"))
    newPart.querySelector(`#${open.id}`).open = true
  part.replaceWith(newPart)
  for (const [index, table] of newPart.querySelectorAll(".data-table").entries()) table.scrollTop = places[index] ?? 0
  newPart.querySelectorAll("a, button, summary, [tabindex]")[focused]?.focus({ preventScroll: true })
  emit("inserted", newPart)
}

setInterval(renew, refresh * 1000)
document.addEventListener("visibilitychange", renew)
