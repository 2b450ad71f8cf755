// Fills in where the writer is when asked, and forgets it when the part is closed.
const part = document.querySelector("[data-place]")
if (part) {
  const [button, latitude, longitude, name] = part.querySelectorAll("button, input")

  const fill = ({ coords }) => {
    latitude.value = coords.latitude.toFixed(4)
    longitude.value = coords.longitude.toFixed(4)
  }
  const clear = () => {
    for (const field of [latitude, longitude, name]) field.value = ""
  }
  const explain = () => {
    button.textContent = part.dataset.place
  }

  button.hidden = false
  button.addEventListener("click", () => navigator.geolocation.getCurrentPosition(fill, explain))
  part.addEventListener("toggle", () => part.open || clear())
}
