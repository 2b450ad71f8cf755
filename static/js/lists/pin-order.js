// Moves a pinned list by dragging its grip: the form of the row sends the place where it is dropped.
const rows = () => [...document.querySelectorAll(".entries-pinned > li")]
const middleOf = row => row.offsetTop + row.offsetHeight / 2
let row
let start

document.addEventListener("pointerdown", event => {
  if (!event.target.matches(".pin-grip")) return
  event.preventDefault() // no text is selected
  event.target.setPointerCapture(event.pointerId)
  row = event.target.closest("li")
  start = event.clientY
})

document.addEventListener("pointermove", ({ clientY }) => {
  if (row) row.style.translate = `0 ${clientY - start}px`
})

for (const type of ["pointerup", "pointercancel"])
  document.addEventListener(type, ({ clientY }) => {
    if (!row) return
    const dropped = middleOf(row) + clientY - start
    const place = rows().filter(other => other !== row && middleOf(other) < dropped).length
    row.style.translate = ""
    if (type === "pointerup" && place !== rows().indexOf(row)) send(row, place)
    row = null
  })

function send(row, place) {
  const form = row.querySelector(".pin-move")
  const button = document.createElement("button")
  Object.assign(button, { name: "place", value: place, hidden: true })
  form.append(button)
  form.requestSubmit(button)
}
