// Shows two answers of a poll, and more as they are asked for. What is removed makes room for those below it.
const ANSWERS_MIN = 2

export function start(part) {
  const rows = [...part.querySelectorAll(".poll-options > .field")]
  const fields = rows.map(row => row.querySelector("input"))
  const adder = part.querySelector(".poll-add")
  const removers = rows.map((_, index) => {
    const ariaLabel = part.dataset.removeAnswer.replace("{number}", index + 1)
    const type = "button"
    const className = "button button-quiet button-small poll-remove"
    const remover = document.createElement("button")
    return Object.assign(remover, {
      type,
      className,
      textContent: "×",
      ariaLabel,
      title: ariaLabel,
    })
  })
  let shown = 0

  // Show so many rows, and all that are filled in. Return the last field that is shown.
  function show(count) {
    const filled = fields.findLastIndex(field => field.value) + 1
    shown = Math.max(ANSWERS_MIN, filled, count)
    for (const [index, row] of rows.entries()) {
      row.hidden = index >= shown
      removers[index].hidden = shown === ANSWERS_MIN
    }
    adder.hidden = shown === rows.length
    return fields[shown - 1]
  }

  function remove(index) {
    const values = fields.map(field => field.value).toSpliced(index, 1)
    for (const [place, field] of fields.entries()) field.value = values[place] ?? ""
    const count = shown - 1
    for (const error of part.querySelectorAll(".poll-options .field-error")) error.remove()
    show(count)
    const next = fields[Math.min(index, count - 1)]
    next.dispatchEvent(new Event("input", { bubbles: true }))
    next.focus()
  }

  for (const [index, field] of fields.entries()) {
    field.after(removers[index])
    removers[index].addEventListener("click", () => remove(index))
    field.addEventListener("input", () => show(shown))
  }
  adder.addEventListener("click", () => show(shown + 1).focus())
  document.addEventListener("linnet:blank", () => show(0))
  show(0)
  part.dataset.ready = ""
}
