// Suggests the description that a picture carries in its own metadata. The server reads the first part of the file as it
// was chosen: made smaller, it has lost what it says of itself.
const HEAD = 262_144 // bytes

// `slot`: the row of the picture, `labels`: the address that reads it, and the hint.
export async function suggest(slot, file, { describe, suggested }) {
  const { alt, input, picture } = slot
  const body = new FormData()
  body.set("picture", file.slice(0, HEAD), "picture")
  const headers = { "X-CSRFToken": input.form.elements.csrf_token.value }
  const response = await fetch(describe, { method: "POST", body, headers }).catch(() => null)
  if (!response?.ok || response.redirected) return
  const { description } = await response.json()
  if (!description || alt.value || slot.picture !== picture) return
  alt.value = description
  slot.hint = document.createElement("p")
  Object.assign(slot.hint, { className: "field-hint", role: "status", textContent: suggested })
  alt.after(slot.hint)
  alt.dispatchEvent(new Event("input", { bubbles: true }))
}
