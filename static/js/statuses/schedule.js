// Shows and takes times in the reader's zone. Without this they are UTC, as the hint says. The form's one
// button says whether it posts now or at the time.
for (const field of document.querySelectorAll("[type=datetime-local]")) {
  const part = field.closest("details")
  const { offset } = field.form.elements
  const button = field.form.querySelector(".composer-send button")
  if (field.value && field.value === field.defaultValue && !offset.value) {
    const moment = new Date(`${field.value}Z`)
    const local = new Date(moment - moment.getTimezoneOffset() * 60_000)
    field.value = field.defaultValue = local.toISOString().slice(0, 16)
  }
  const update = () => {
    offset.value = new Date(field.value || Date.now()).getTimezoneOffset()
    button.textContent = part.dataset[field.value ? "schedule" : "send"]
    button.name = field.value && "scheduled"
  }
  update()
  field.addEventListener("input", update)
  document.addEventListener("linnet:blank", update)
  document.getElementById(`${field.id}-hint`).hidden = true
  part.querySelector("button")?.remove()
  part.dataset.ready = ""
}
