// Plays animated pictures in their places while they are in view. A press stops one, or starts it again.
const calm = matchMedia("(prefers-reduced-motion: reduce)")
const playsByItself = () => !calm.matches && !navigator.connection?.saveData
const observer = new IntersectionObserver(entries => {
  for (const { target, isIntersecting } of entries) {
    target.toggleAttribute("data-in-view", isIntersecting)
    update(target)
  }
})

// The still remains until the animation has loaded.
function update(link) {
  const plays = link.ariaPressed === "true" && link.hasAttribute("data-in-view")
  let animation = link.querySelector(".animation")
  if (plays && !animation) {
    animation = new Image()
    Object.assign(animation, { className: "animation", alt: "", onload: () => update(link) })
    animation.src = link.href
    link.querySelector("img").after(animation)
  }
  if (animation) animation.hidden = !plays || !animation.naturalWidth
}

function press(link, plays) {
  link.ariaPressed = plays
  update(link)
}

function prepare() {
  for (const link of document.querySelectorAll("[data-play]:not([role])")) {
    Object.assign(link, { role: "button", ariaLabel: link.dataset.play })
    press(link, playsByItself())
    observer.observe(link)
  }
}

document.addEventListener("click", event => {
  const link = event.target.closest("[data-play]")
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
  event.preventDefault()
  press(link, link.ariaPressed !== "true")
})
document.addEventListener("keydown", event => {
  if (event.key !== " " || !event.target.matches("[data-play]")) return
  event.preventDefault()
  event.target.click()
})
calm.addEventListener("change", () => {
  for (const link of document.querySelectorAll("[data-play][role]")) press(link, playsByItself())
})
document.addEventListener("linnet:inserted", prepare)
prepare()
