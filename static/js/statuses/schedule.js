// Shows and takes times in the reader's zone. Without this they are UTC, as the hint says.
for (const field of document.querySelectorAll('input[type="datetime-local"]')) {
  const { offset } = field.form.elements
  if (field.value && field.value === field.defaultValue && !offset.value) {
    const moment = new Date(`${field.value}Z`)
    const local = new Date(moment - moment.getTimezoneOffset() * 60_000)
    field.value = local.toISOString().slice(0, 16)
  }
  const setOffset = () => {
    offset.value = new Date(field.value || Date.now()).getTimezoneOffset()
  }
  setOffset()
  field.addEventListener("input", setOffset)
  document.getElementById(`${field.id}-hint`).hidden = true
  field.closest("details").dataset.ready = ""
}
