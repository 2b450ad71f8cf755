// Lets the header of phones go while the reader scrolls down, and come back on the way up.
const STEP = 8 // px: less is no direction
const head = document.querySelector(".site-head")
let last = scrollY

addEventListener(
  "scroll",
  () => {
    if (Math.abs(scrollY - last) < STEP) return
    head.toggleAttribute("data-away", scrollY > Math.max(last, head.offsetHeight))
    last = scrollY
  },
  { passive: true },
)
