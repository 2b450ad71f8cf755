// Where the writer is, when asked; forgotten when folded away.
const part = document.querySelector("[data-place]")
if (part) {
  const [button, ...fields] = part.querySelectorAll("button, input")
  const fill = (...given) => fields.forEach((field, at) => (field.value = given[at] ?? ""))
  const found = ({ coords: at }) => fill(at.latitude.toFixed(4), at.longitude.toFixed(4), fields[2].value)
  button.hidden = false
  button.onclick = () => navigator.geolocation.getCurrentPosition(found, () => (button.textContent = part.dataset.place))
  part.ontoggle = () => part.open || fill()
}
