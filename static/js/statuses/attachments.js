// Pictures for a post: several can be chosen together, each with a preview; one empty input follows them.
const PREVIEW_SIZE = 160 // CSS pixels
const part = document.querySelector("[data-attach]")
const slots = [...part.querySelectorAll("fieldset")].map(fieldset => ({
  fieldset,
  input: fieldset.querySelector("input"),
  alt: fieldset.querySelector("textarea"),
  crop: fieldset.querySelector("select"),
}))

function setFile(slot, file) {
  const transfer = new DataTransfer()
  if (file) transfer.items.add(file)
  slot.input.files = transfer.files
}

// The first file stays where it was chosen, the others go where there is room.
function distribute(files, first) {
  const empty = slots.filter(slot => slot !== first && !slot.input.files.length)
  const free = [first, ...empty]
  for (const [index, slot] of free.slice(0, files.length).entries()) setFile(slot, files[index])
  update()
}

function update() {
  let emptyCount = 0
  for (const slot of slots) {
    const [file] = slot.input.files
    slot.fieldset.hidden = !file && emptyCount++ > 0
    slot.alt.hidden = slot.crop.hidden = !file
    if (slot.previewed === file) continue
    slot.preview?.remove()
    slot.previewed = file
    if (file) showPreview(slot, file)
  }
}

async function showPreview(slot, file) {
  const canvas = document.createElement("canvas")
  slot.preview = document.createElement("div")
  slot.preview.append(canvas, " ", removeButton(slot))
  slot.input.after(slot.preview)
  const picture = await createImageBitmap(file).catch(() => canvas.remove())
  if (!picture) return
  const scale = PREVIEW_SIZE / Math.max(picture.width, picture.height)
  canvas.width = picture.width * scale || 1
  canvas.height = picture.height * scale || 1
  canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height)
  picture.close()
}

function removeButton(slot) {
  const button = document.createElement("button")
  button.type = "button"
  button.className = "button button-quiet button-small"
  button.textContent = part.dataset.attach
  button.addEventListener("click", () => {
    setFile(slot)
    slot.alt.value = slot.crop.value = ""
    update()
    slot.input.focus()
  })
  return button
}

for (const slot of slots) {
  slot.input.multiple = true
  slot.input.addEventListener("change", () => distribute([...slot.input.files], slot))
}
addEventListener("pageshow", update)
update()
