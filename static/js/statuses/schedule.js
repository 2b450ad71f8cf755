// Times are chosen and shown in the reader's zone; without this they are UTC, as the hint says.
for (const field of document.querySelectorAll('input[type="datetime-local"]')) {
  const { offset } = field.form.elements
  if (field.value && !offset.value) {
    const at = new Date(`${field.value}Z`)
    field.value = new Date(at - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
  }
  const tell = () => (offset.value = new Date(field.value || Date.now()).getTimezoneOffset())
  tell()
  field.addEventListener("input", tell)
  document.getElementById(`${field.id}-hint`).hidden = true
}
