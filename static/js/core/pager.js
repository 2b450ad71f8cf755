// Loads what lists of posts need: what appends older ones, once a reader scrolls or comes back, and what
// reports those that were seen.
const load = () => import("./infinite-scroll.js")

if (document.querySelector(":has(> .pager [rel=next]) > :is(.status, .tile)")) {
  if (history.state?.place || scrollY) load()
  else addEventListener("scroll", load, { once: true })
}
if (document.querySelector(".status[id]")) import("../statuses/views.js")
