// Shows a chosen picture in place of the one there is. What to keep of it is dragged into view, or moved by sliders.
import { decode, refuse } from "./picture-files.js"

const SIDE_MAX = 1600 // pixels of what is shown
const originals = new WeakMap() // by input: what stands there without a file
const shownIn = field => field.querySelector(".picture-crop, .avatar, .banner")

export async function showCrop(input) {
  const field = input.closest(".picture")
  if (!shownIn(field)) return
  const [file] = input.files
  if (!originals.has(input)) originals.set(input, shownIn(field))
  refuse(field, "")
  const picture = file && (await decode(input))
  if (file !== input.files[0]) return // another one was chosen meanwhile
  shownIn(field).replaceWith(picture ? cropOf(picture, field) : originals.get(input))
}

function cropOf(picture, field) {
  const crop = field.querySelector("template").content.firstElementChild.cloneNode(true)
  const canvas = crop.querySelector("canvas")
  const [x, y, zoom] = crop.querySelectorAll("input")
  const reduced = Math.min(1, SIDE_MAX / Math.max(picture.width, picture.height))
  canvas.width = picture.width * reduced
  canvas.height = picture.height * reduced
  canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height)

  const show = () =>
    [x, y, zoom].forEach((slider, place) => {
      canvas.style.setProperty(`--${"xyz"[place]}`, slider.value)
    })
  function move(slider, pixels, hidden) {
    if (hidden > 1) slider.value -= (100 * pixels) / hidden
  }
  canvas.addEventListener("pointerdown", ({ pointerId }) => canvas.setPointerCapture(pointerId))
  canvas.addEventListener("pointermove", ({ pointerId, movementX, movementY }) => {
    if (!canvas.hasPointerCapture(pointerId)) return
    const { clientWidth, clientHeight } = canvas
    const scale = Math.max(clientWidth / canvas.width, clientHeight / canvas.height) * zoom.value
    move(x, movementX, (canvas.width * scale) / 100 - clientWidth)
    move(y, movementY, (canvas.height * scale) / 100 - clientHeight)
    show()
  })
  crop.addEventListener("input", show)
  return crop
}
