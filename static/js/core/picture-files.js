// Files of pictures in a form: large photos are made smaller, and what cannot be sent is refused beside its field.
const SIDE_MAX = 2560 // pixels; pages show 2048 at most
const TYPES = /^image\/(jpeg|png|webp|gif)$/
const PLACE = "fieldset, .field" // shows why a file is refused
const pending = new Map() // by file: a promise that it is as small as it will be
let isHeld = false

// Say in a part of a form why something cannot be sent. An empty reason removes the sentence.
export function refuse(place, textContent) {
  place.querySelector(":scope > [role=alert]")?.remove()
  if (!textContent) return
  const line = document.createElement("p")
  Object.assign(line, { className: "field-error", role: "alert", tabIndex: -1, textContent })
  place.append(line)
}

export function setFile(input, file) {
  const transfer = new DataTransfer()
  if (file) transfer.items.add(file)
  input.files = transfer.files
  check(input)
}

const limitsOf = input => input.closest("[data-max-bytes]").dataset

function check(input) {
  const [file] = input.files
  const { maxBytes, tooBig, notPicture } = limitsOf(input)
  const isReady = file && !pending.has(file)
  let reason = ""
  if (isReady && !TYPES.test(file.type)) reason = notPicture
  else if (isReady && file.size > maxBytes) reason = tooBig
  input.setCustomValidity(reason)
  refuse(input.closest(PLACE), reason)
}

// Return the picture of an input's file, null if it cannot be decoded. A large file, or one of a format that only
// the browser knows, is replaced by one that can be sent.
export function decode(input) {
  const [file] = input.files
  const picture = createImageBitmap(file).catch(() => null)
  pending.set(file, makeSmaller(input, file, picture))
  check(input)
  return picture
}

async function makeSmaller(chosenIn, file, decoded) {
  const maxBytes = Number(limitsOf(chosenIn).maxBytes)
  const { width, height } = (await decoded) ?? {}
  const fits = file.size <= maxBytes && Math.max(width, height) <= SIDE_MAX && TYPES.test(file.type)
  let smaller
  if (width && !fits && file.type !== "image/gif") {
    const module = await import("./shrink-picture.js").catch(() => null)
    smaller = await module?.shrink(file, maxBytes, SIDE_MAX).catch(() => null)
  }
  pending.delete(file)
  // It may have moved to another field.
  const input = [...chosenIn.form.elements].find(field => field.files?.[0] === file)
  if (!input) return
  setFile(input, smaller ?? file)
  if (width || input.validationMessage) return
  refuse(input.closest(PLACE), limitsOf(input).notPicture) // the server decides
}

// Forms wait for pictures that are being made smaller.
document.addEventListener(
  "submit",
  async event => {
    if (!pending.size) return
    event.preventDefault()
    event.stopImmediatePropagation()
    if (isHeld) return
    isHeld = true
    await Promise.all(pending.values())
    isHeld = false
    event.target.requestSubmit(event.submitter)
  },
  true,
)
// Browsers do not send a form with an invalid field. The page shows why, not the browser's bubble.
document.addEventListener(
  "invalid",
  event => {
    const place = event.target.files && event.target.closest(PLACE)
    if (!place) return
    event.preventDefault()
    const part = place.closest("details")
    if (part) part.open = true
    place.querySelector("[role=alert]").focus()
  },
  true,
)
