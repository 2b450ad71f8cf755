// Adds a field for another post of the thread, and says when its text is too long.
import { weigh } from "./weigh.js"

const PARTS_MAX = 9 // posts besides the first

// Return the new field.
export function addPost(form) {
  const button = form.elements.another
  const rows = form.querySelectorAll(".composer-more")
  const number = rows.length + 1
  const row = document.createElement("div")
  row.className = "composer-more"
  const field = document.createElement("textarea")
  Object.assign(field, { className: "composer-input", name: `more${number}`, rows: 1, dir: "auto" })
  field.dataset.complete = ""
  field.ariaLabel = button.dataset.label.replace("{number}", number + 1)
  row.append(field)
  const last = rows[rows.length - 1] ?? form.querySelector(".composer-row")
  last.after(row)
  field.addEventListener("input", () => {
    const left = form.dataset.max - weigh(field.value)
    showReason(form, field.name, left < 0 ? form.dataset.over.replace("#", -left) : "")
  })
  button.hidden = number === PARTS_MAX
  const remove = () => {
    row.remove()
    button.hidden = false
  }
  document.addEventListener("linnet:blank", remove, { once: true })
  return field
}

// Show, beside the post that it belongs to, why it is refused.
export function showReason(form, name, text) {
  const row = form.elements[name].parentElement
  row.querySelector(".field-error")?.remove()
  if (!text) return
  const reason = document.createElement("p")
  Object.assign(reason, { className: "field-error", role: "alert", textContent: text })
  row.append(reason)
}
