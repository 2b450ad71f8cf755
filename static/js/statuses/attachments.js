// Pictures for a post or a message: each in a row of its own, with a preview and a description.
import { decode, refuse, setFile } from "../core/picture-files.js"
import { addPoint, setFocus } from "./focal-point.js"
import { addOrder, announcePlace, toolButton } from "./picture-order.js"

const PREVIEW_SIZE = 160 // CSS pixels
const started = new WeakMap() // what is done with the pictures of a part of a form

function element(tag, className) {
  return Object.assign(document.createElement(tag), { className })
}

// A row of the form. `content` is its picture with all that was said of it.
class Slot {
  constructor(fieldset, pictures) {
    const { part } = pictures
    const find = selector => fieldset.querySelector(selector)
    this.fieldset = fieldset
    this.pictures = pictures
    this.input = find("[type=file]")
    this.alt = find("[name$=alt]")
    this.crop = find("[name$=focus]")
    this.stored = find("[name$=stored]") ?? {} // a picture of the draft
    this.picture = find(".picture-stored") // or the canvas of a file
    const preview = find(".picture-preview") ?? element("div", "picture-preview")
    const tools = element("div", "picture-tools")
    this.frame = element("div", "picture-frame")
    this.frame.append(this.picture ?? "")
    preview.append(this.frame, tools)
    if (this.crop) this.showPoint = addPoint(this, part.dataset)
    this.showOrder = addOrder(this, tools, part.dataset, pictures.swap)
    tools.append(toolButton(part.dataset.attach, () => this.remove()))
    this.input.after(preview)
  }

  get isFilled() {
    return this.input.files[0] || this.stored.value
  }

  get content() {
    const { input, alt, crop, stored, picture } = this
    const token = stored.value
    return { file: input.files[0], alt: alt.value, focus: crop?.value, token, picture }
  }

  set content({ file, alt = "", focus = "", token = "", picture = "" }) {
    this.frame.querySelector("img, canvas")?.remove()
    this.hint?.remove()
    this.frame.prepend(picture)
    this.picture = picture
    this.alt.value = alt
    this.stored.value = token
    if (this.crop) setFocus(this.crop, focus)
    setFile(this.input, file)
  }

  remove() {
    const { part, adder, update } = this.pictures
    this.content = {}
    refuse(part, "")
    part.open = update() > 0
    adder.focus()
  }

  show(filled) {
    if (this.picture && !this.isFilled) this.content = {} // the form was reset
    this.fieldset.hidden = !this.isFilled
    this.showPoint?.()
    this.showOrder(filled)
    if (!this.picture && this.isFilled) this.draw()
  }

  async draw() {
    const canvas = element("canvas", "")
    const [file] = this.input.files
    this.picture = canvas
    this.frame.prepend(canvas)
    const picture = await decode(this.input)
    if (!picture) return canvas.remove()
    const scale = PREVIEW_SIZE / Math.max(picture.width, picture.height)
    canvas.width = picture.width * scale || 1
    canvas.height = picture.height * scale || 1
    canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height)
    picture.close()
    const { dataset } = this.pictures.part
    if (!dataset.describe || this.alt.value) return
    const { suggest } = await import("./own-description.js")
    suggest(this, file, dataset)
  }
}

// Add files that were chosen, dropped or pasted, as far as there is room.
export function add(part, files) {
  start(part)
  started.get(part)(files)
}

export function start(part) {
  if (started.has(part)) return
  const adder = part.nextElementSibling
  const reminder = part.querySelector("[data-reminder]")
  const pictures = { part, adder, swap, update }
  const slots = [...part.querySelectorAll("fieldset")].map(row => new Slot(row, pictures))

  function swap(one, other) {
    ;[one.content, other.content] = [other.content, one.content]
    update()
  }

  function addFiles(files) {
    const empty = slots.filter(slot => !slot.isFilled)
    for (const [index, slot] of empty.entries()) setFile(slot.input, files[index])
    adder.value = ""
    refuse(part, files.length > empty.length ? part.dataset.tooMany : "")
    const count = update()
    announcePlace(part.dataset, count, count)
  }

  // Show the rows that have a picture. Return how many have one.
  function update() {
    const filled = slots.filter(slot => slot.isFilled)
    for (const slot of slots) slot.show(filled)
    adder.disabled = filled.length === slots.length
    return filled.length
  }

  // Remind once of a description that is missing. Sending the form again posts without it.
  function remind(event) {
    const slot = slots.find(one => one.isFilled && !one.alt.value.trim())
    const isDraft = event.submitter?.formNoValidate
    if (!slot || isDraft || sessionStorage.reminded || !part.isConnected) return
    event.preventDefault()
    event.stopImmediatePropagation()
    sessionStorage.reminded = 1
    slot.alt.after(reminder) // in sight, also among many pictures
    reminder.hidden = false
    slot.alt.focus()
  }

  started.set(part, addFiles)
  addEventListener("pageshow", update)
  document.addEventListener("linnet:blank", () => {
    if (reminder) reminder.hidden = true
    update()
  })
  if (reminder) part.closest("form").addEventListener("submit", remind, true)
  update()
  part.dataset.ready = ""
}
