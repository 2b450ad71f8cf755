// Shows the page that a link leads to as a menu: a popover with the page's list. Arrow keys move in it.
import { showLine } from "./announcements.js"

const GAP = 8 // px to the window's edge
const STEPS = { ArrowDown: 1, ArrowUp: -1 }
const menu = document.createElement("div")
menu.className = "popover-menu"
menu.popover = "auto"
document.querySelector("main").append(menu)
let opener
let newest // the link that was pressed last
let closing // the link whose open menu is being closed by a press on it

export async function openMenu(link) {
  const isClosing = link === closing
  closing = null
  if (isClosing) return
  newest = link
  const focused = document.activeElement
  const response = await fetch(link.href).catch(() => null)
  const page = new DOMParser().parseFromString(
    response?.ok ? await response.text() : "",
    "text/html",
  )
  const list = page.querySelector(".menu-items")
  // Another was pressed since, or the reader has gone on to something else.
  if (link !== newest || document.activeElement !== focused) return
  if (!list) return location.assign(link.href)
  opener = link
  prepare(list)
  menu.replaceChildren(list)
  menu.setAttribute("role", "group")
  menu.ariaLabel = link.ariaLabel
  opener.ariaExpanded = "true"
  opener.focus({ preventScroll: true }) // closing gives the focus back to it
  menu.showPopover()
  place()
  items()[0].focus({ preventScroll: true })
}

function prepare(list) {
  const path = location.pathname + location.search
  for (const field of list.querySelectorAll("[name=next]")) field.value = path
  const canDo = { copy: navigator.clipboard, share: navigator.share }
  for (const name of Object.keys(canDo).filter(name => canDo[name])) {
    for (const button of list.querySelectorAll(`[data-${name}]`))
      button.parentElement.hidden = false
  }
  for (const link of list.querySelectorAll(`a[href="${location.pathname}"]`))
    link.parentElement.remove()
}

// Below the link, or left of it if there is too little room. On phones the style sheet places it.
function place() {
  const { bottom, left, right } = opener.getBoundingClientRect()
  const top = Math.max(GAP, Math.min(bottom, innerHeight - menu.offsetHeight - GAP))
  const end = top < bottom ? left - GAP : right
  menu.style.setProperty("--top", `${top}px`)
  menu.style.setProperty("--left", `${Math.max(GAP, end - menu.offsetWidth)}px`)
}

const items = () =>
  [...menu.querySelectorAll("a, button, summary, textarea")].filter(item => item.checkVisibility())

menu.addEventListener("keydown", event => {
  const all = items()
  const now = all.indexOf(document.activeElement)
  const places = { Home: 0, End: -1 }
  const next = event.key in STEPS ? (now + STEPS[event.key]) % all.length : places[event.key]
  if (next === undefined) return
  event.preventDefault()
  all.at(next).focus()
})

// Submenus open and close, too, and change its height.
menu.addEventListener(
  "toggle",
  ({ target, newState }) => {
    if (target !== menu) place()
    else if (newState === "closed") opener.ariaExpanded = null
  },
  true,
)

menu.addEventListener("click", async ({ target }) => {
  const { copy, share, done } = target.closest("button")?.dataset ?? {}
  if (!copy && !share) return
  menu.hidePopover()
  if (share) return navigator.share({ url: share }).catch(() => {}) // they may have changed their mind
  await navigator.clipboard.writeText(copy)
  showLine(done)
})

// The browser closes the menu before the press arrives at the link.
addEventListener("pointerdown", ({ target }) => {
  closing = menu.matches(":popover-open") && target.closest("[data-menu]")
})
menu.addEventListener("focusout", ({ relatedTarget }) => {
  if (relatedTarget && !menu.contains(relatedTarget)) menu.hidePopover()
})
addEventListener("scroll", () => menu.hidePopover(), { passive: true })
