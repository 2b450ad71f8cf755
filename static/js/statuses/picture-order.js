// Moves a picture among the others: with two buttons, or by dragging its grip.
import { announce } from "../core/announcements.js"

export function toolButton(textContent, onClick, more) {
  const button = Object.assign(document.createElement("button"), {
    type: "button",
    className: "button button-quiet button-small",
    textContent,
    ...more,
  })
  button.addEventListener("click", onClick)
  return button
}

export function announcePlace(labels, number, count) {
  announce(labels.moved.replace("{number}", number).replace("{count}", count))
}

// Add these to the tools of a row. Return a function that shows them where there is somewhere to go.
export function addOrder(slot, tools, labels, swap) {
  let filled = [] // the rows with pictures
  const up = moveButton("↑", labels.up, -1)
  const down = moveButton("↓", labels.down, 1)
  const grip = Object.assign(document.createElement("span"), {
    className: "picture-grip",
    title: labels.drag,
    ariaHidden: "true",
    textContent: "⠿",
  })
  tools.append(up, down, grip)
  Object.assign(slot, { up, down })

  function moveButton(textContent, label, step) {
    const onClick = () => {
      const other = filled[filled.indexOf(slot) + step]
      moveTo(slot, other)
      const [same, back] = step < 0 ? [other.up, other.down] : [other.down, other.up]
      ;(same.hidden ? back : same).focus()
    }
    return toolButton(textContent, onClick, { ariaLabel: label, title: label })
  }

  function moveTo(from, to) {
    swap(from, to)
    announcePlace(labels, filled.indexOf(to) + 1, filled.length)
  }

  // The grip stays where the drag began; the picture moves from row to row.
  let current
  grip.addEventListener("pointerdown", event => {
    current = slot
    grip.setPointerCapture(event.pointerId)
  })
  grip.addEventListener("pointermove", ({ pointerId, clientY }) => {
    if (!grip.hasPointerCapture(pointerId)) return
    const place = filled.indexOf(current)
    const target = filled.find((other, index) => {
      const { top, height } = other.fieldset.getBoundingClientRect()
      const middle = top + height / 2
      return (index < place && clientY < middle) || (index > place && clientY > middle)
    })
    if (!target) return
    moveTo(current, target)
    current = target
  })

  return rows => {
    filled = rows
    const place = rows.indexOf(slot)
    up.hidden = place < 1
    down.hidden = place < 0 || !rows[place + 1]
    grip.hidden = rows.length < 2
  }
}
