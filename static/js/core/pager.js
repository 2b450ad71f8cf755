// Loads what appends older posts, once a reader scrolls through a list of posts or comes back to one.
const load = () => import("./infinite-scroll.js")

if (
  document
    .querySelector("[rel=next]")
    ?.closest(".pager")
    ?.parentElement.querySelector(":scope > .status")
) {
  if (history.state?.place || scrollY) load()
  else addEventListener("scroll", load, { once: true })
}
