// Adds where the writer's device is when asked, and forgets it when the part is closed.
export function start(part) {
  const [name, latitude, longitude] = part.querySelectorAll("input")
  const button = part.querySelector("button")
  const label = latitude.parentElement

  const set = (point, text) => {
    ;[latitude.value, longitude.value] = point
    latitude.checked = text !== ""
    label.hidden = !latitude.checked
    label.lastElementChild.textContent = text
    name.dispatchEvent(new Event("input", { bubbles: true })) // so that it is kept, or no longer
  }
  const fill = ({ coords }) => {
    const point = [coords.latitude, coords.longitude]
    const text = point.map(degrees => degrees.toFixed(2)).join(", ")
    set(
      point.map(degrees => degrees.toFixed(4)),
      text,
    )
    name.focus()
  }
  const clear = () => {
    if (!name.value && !latitude.value) return
    name.value = ""
    set(["", ""], "")
  }

  button.addEventListener("click", () =>
    navigator.geolocation.getCurrentPosition(fill, () => {
      button.textContent = part.dataset.place
    }),
  )
  const onToggle = () => part.open || clear()
  part.addEventListener("toggle", onToggle)
  onToggle() // it may have been closed before this module has run
}
