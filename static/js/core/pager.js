// Loads the modules for lists of posts: infinite scroll once the reader scrolls or returns, and
// view reports.
const load = () => import("./infinite-scroll.js")

if (document.querySelector(":has(> .pager [rel=next]) > :is(.status, .tile)")) {
  if (history.state?.place || scrollY) load()
  else addEventListener("scroll", load, { once: true })
}
if (document.querySelector(".status[id]")) import("../statuses/views.js")
