// Pictures for a post: several at once, each with a look at it; one empty place after them.
const part = document.querySelector("[data-attach]")
const places = [...part.querySelectorAll("fieldset")].map(all => ({ all, file: all.querySelector("input"), alt: all.querySelector("textarea"), crop: all.querySelector("select") }))
const LOOK = 160 // CSS pixels

function put(place, file) {
  const one = new DataTransfer()
  if (file) one.items.add(file)
  place.file.files = one.files
}

// The first of them stays where it was chosen, the others go where there is room.
function spread(files, first) {
  const free = [first, ...places.filter(place => place !== first && !place.file.files.length)]
  for (const [at, place] of free.slice(0, files.length).entries()) put(place, files[at])
  show()
}

function show() {
  let empty = 0
  for (const place of places) {
    const [file] = place.file.files
    place.all.hidden = !file && empty++ > 0
    place.alt.hidden = place.crop.hidden = !file
    if (place.shown === file) continue
    place.look?.remove()
    place.shown = file
    if (file) look(place, file)
  }
}

async function look(place, file) {
  const canvas = document.createElement("canvas")
  const away = Object.assign(document.createElement("button"), { type: "button", className: "button button-quiet button-small", textContent: part.dataset.attach })
  place.look = document.createElement("div")
  place.look.append(canvas, " ", away)
  place.file.after(place.look)
  away.onclick = () => {
    put(place)
    place.alt.value = place.crop.value = ""
    show()
    place.file.focus()
  }
  const picture = await createImageBitmap(file).catch(() => canvas.remove())
  if (!picture) return
  const by = LOOK / Math.max(picture.width, picture.height)
  canvas.width = picture.width * by || 1
  canvas.height = picture.height * by || 1
  canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height)
  picture.close()
}

for (const place of places) {
  place.file.multiple = true
  place.file.addEventListener("change", () => spread([...place.file.files], place))
}
addEventListener("pageshow", show)
show()
