// Loads the modules for lists of posts: infinite scroll once the reader scrolls or returns, the header
// that goes then, view reports, and what a press on a row opens.
const load = () => import("./infinite-scroll.js")

if (document.querySelector(":has(> .pager [rel=next]) > :is(.status, .tile, .group-post)")) {
  if (history.state?.place || scrollY) load()
  else addEventListener("scroll", load, { once: true })
}
if (document.querySelector(".status[id]")) import("../statuses/views.js")
addEventListener("scroll", () => import("./header.js"), { once: true })

// A press that closes a menu opens nothing.
let isClosing
const notice = () => {
  isClosing = document.querySelector(":is(.menu[open], :popover-open)")
}
const press = async event => {
  const row = event.target.closest("[data-row]")
  if (!row || isClosing) return
  const module = await import("./rows.js").catch(() => null) // the press was on a link that leaves the page
  module?.open(row, event)
}
addEventListener("pointerdown", notice, { capture: true })
for (const type of ["click", "auxclick"]) addEventListener(type, press)
