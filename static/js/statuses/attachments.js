// Pictures for a post: chosen, dropped or pasted, each with a preview; one empty input follows them.
import { checkSize } from "../core/upload-limit.js"
import { addPoint, setFocus } from "./focal-point.js"
import { addOrder } from "./picture-order.js"

const PREVIEW_SIZE = 160 // CSS pixels
const part = document.querySelector("[data-attach]")
const slots = [...part.querySelectorAll("fieldset")].map(fieldset => ({
  fieldset,
  input: fieldset.querySelector("[type=file]"),
  alt: fieldset.querySelector("textarea"),
  crop: fieldset.querySelector("[name=focus]"),
  stored: fieldset.querySelector("[name=stored]") ?? {}, // a picture of the draft
  picture: fieldset.querySelector(".picture-stored"), // or the canvas of a file
  preview: fieldset.querySelector(".picture-preview") ?? element("div", "picture-preview"),
}))
const hasPicture = slot => slot.input.files.length > 0 || Boolean(slot.stored.value)

function element(tag, className) {
  return Object.assign(document.createElement(tag), { className })
}

function setFile(slot, file) {
  const transfer = new DataTransfer()
  if (file) transfer.items.add(file)
  slot.input.files = transfer.files
}

// The first file stays where it was chosen, the others go where there is room.
function distribute(files, first) {
  const empty = slots.filter(slot => slot !== first && !hasPicture(slot))
  const free = first ? [first, ...empty] : empty
  for (const [index, slot] of free.slice(0, files.length).entries()) setFile(slot, files[index])
  update()
}

// Add files that were dropped or pasted.
export function add(files) {
  distribute(files)
}

function update() {
  let emptyCount = 0
  const filled = slots.filter(hasPicture)
  for (const slot of slots) {
    const [file] = slot.input.files
    const isEmpty = !hasPicture(slot)
    slot.fieldset.hidden = isEmpty && emptyCount++ > 0
    slot.alt.hidden = slot.preview.hidden = isEmpty
    slot.showPoint()
    slot.showOrder(filled)
    if (slot.previewed === file && !isEmpty) continue
    slot.picture?.remove()
    slot.picture = undefined
    slot.previewed = file
    checkSize(slot.input)
    if (file) showPicture(slot, file)
  }
}

async function showPicture(slot, file) {
  const canvas = element("canvas", "")
  slot.picture = canvas
  slot.frame.prepend(canvas)
  const picture = await createImageBitmap(file).catch(() => canvas.remove())
  if (!picture) return
  const scale = PREVIEW_SIZE / Math.max(picture.width, picture.height)
  canvas.width = picture.width * scale || 1
  canvas.height = picture.height * scale || 1
  canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height)
  picture.close()
}

// Exchange the pictures of two rows, with all that was said of them.
function swap(one, other) {
  const [files, focuses] = [
    [one.input.files[0], other.input.files[0]],
    [one.crop.value, other.crop.value],
  ]
  for (const [index, slot] of [other, one].entries()) {
    setFile(slot, files[index])
    setFocus(slot.crop, focuses[index])
  }
  ;[one.alt.value, other.alt.value] = [other.alt.value, one.alt.value]
  ;[one.stored.value, other.stored.value] = [other.stored.value, one.stored.value]
  ;[one.previewed, other.previewed] = [other.previewed, one.previewed]
  ;[one.picture, other.picture] = [other.picture, one.picture]
  for (const slot of [one, other]) {
    slot.frame.prepend(slot.picture ?? "")
    checkSize(slot.input)
  }
  update()
}

function removeButton(slot) {
  const button = element("button", "button button-quiet button-small")
  button.type = "button"
  button.textContent = part.dataset.attach
  button.addEventListener("click", () => {
    setFile(slot)
    slot.alt.value = slot.crop.value = slot.stored.value = ""
    update()
    slot.input.focus()
  })
  return button
}

for (const slot of slots) {
  slot.input.multiple = true
  slot.input.addEventListener("change", () => distribute([...slot.input.files], slot))
  slot.frame = element("div", "picture-frame")
  slot.frame.append(slot.picture ?? "")
  const tools = element("div", "picture-tools")
  slot.preview.append(slot.frame, tools)
  slot.showPoint = addPoint(slot, part.dataset)
  slot.showOrder = addOrder(slot, tools, part.dataset, swap)
  tools.append(removeButton(slot))
  slot.input.after(slot.preview)
}
addEventListener("pageshow", update)
document.addEventListener("linnet:blank", update)
update()
part.dataset.ready = ""
