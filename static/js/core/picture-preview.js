// Shows a chosen picture in place of the one there is, cropped as pages will show it.
import { decode, refuse } from "./picture-files.js"

const originals = new WeakMap() // by input: what stands there without a file
const shownIn = field => field.querySelector(".avatar, .banner")

function draw(picture, old) {
  const { width, height } = old.getBoundingClientRect()
  const canvas = document.createElement("canvas")
  canvas.className = old.classList.contains("banner") ? "banner" : "avatar"
  canvas.width = width * devicePixelRatio
  canvas.height = height * devicePixelRatio
  Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` })
  const scale = Math.max(canvas.width / picture.width, canvas.height / picture.height)
  const [x, y] = [picture.width * scale, picture.height * scale]
  const context = canvas.getContext("2d")
  context.drawImage(picture, (canvas.width - x) / 2, (canvas.height - y) / 2, x, y)
  return canvas
}

export async function preview(input) {
  const field = input.closest(".picture")
  if (!shownIn(field)) return
  const [file] = input.files
  if (!originals.has(input)) originals.set(input, shownIn(field))
  refuse(field, "")
  const picture = file && (await decode(input))
  if (file !== input.files[0]) return // another one was chosen meanwhile
  const old = shownIn(field)
  old.replaceWith(picture ? draw(picture, old) : originals.get(input))
}
