// The point of a picture that cropping keeps: dragged, set with a click, or moved by the arrow keys.
import { announce } from "../core/announcements.js"

const STEPS = 10 // from one side to the other
const POINTS = { "": [5, 5], top: [5, 0], bottom: [5, 10], left: [0, 5], right: [10, 5] }
const KEYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }

const pointOf = select => POINTS[select.value] ?? select.value.split("-").map(Number)
const clamp = number => Math.min(Math.max(Math.round(number), 0), STEPS)

export function setFocus(select, value) {
  const isKnown = [...select.options].some(option => option.value === value)
  if (!isKnown) select.add(new Option(value, value))
  select.value = value
}

// Add the point to a row's preview. Return a function that shows it where the row's field says.
export function addPoint({ frame, crop }, { point, pointMoved }) {
  const marker = document.createElement("button")
  Object.assign(marker, { type: "button", className: "picture-point", ariaLabel: point })
  frame.append(marker)

  function show() {
    const [x, y] = pointOf(crop)
    marker.style.left = `${x * STEPS}%`
    marker.style.top = `${y * STEPS}%`
  }
  function move(...raw) {
    const [x, y] = raw.map(clamp)
    setFocus(crop, x === 5 && y === 5 ? "" : `${x}-${y}`)
    show()
  }
  function follow({ clientX, clientY }) {
    const { left, top, width, height } = frame.getBoundingClientRect()
    move(((clientX - left) / width) * STEPS, ((clientY - top) / height) * STEPS)
  }

  frame.addEventListener("click", event => {
    if (event.detail) follow(event) // not by the keyboard
  })
  marker.addEventListener("pointerdown", event => marker.setPointerCapture(event.pointerId))
  marker.addEventListener("pointermove", event => {
    if (marker.hasPointerCapture(event.pointerId)) follow(event)
  })
  marker.addEventListener("keydown", event => {
    const step = KEYS[event.key]
    if (!step) return
    event.preventDefault()
    const [x, y] = pointOf(crop)
    move(x + step[0], y + step[1])
    const [left, top] = pointOf(crop).map(side => side * STEPS)
    announce(pointMoved.replace("{x}", left).replace("{y}", top))
  })
  return show
}
