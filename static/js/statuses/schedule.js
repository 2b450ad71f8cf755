// Shows and takes times in the zone of the reader, which the hint names. Without this they are UTC. The form's one
// button says whether it posts now or at the time.
export function start(part) {
  const field = part.querySelector("[type=datetime-local]")
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
  // In place of UTC, in as many lines: what follows must not move.
  document.getElementById(`${field.id}-hint`).textContent =
    Intl.DateTimeFormat().resolvedOptions().timeZone
  part.querySelector("button")?.remove()
  part.dataset.ready = ""
}
