// Replaces parts of a page by those of a newer one: after a form, or because more can be had.
import { emit } from "./posts.js"

// Return the page that answers.
export async function send(form, submitter) {
  const body = new FormData(form, submitter)
  if (form.dataset.source) body.set("next", form.dataset.source)
  const response = await fetch(form.action, { method: "POST", body, keepalive: true })
  if (!response.ok || !response.redirected) throw response
  return replaceParts(form.dataset.inPlace, response)
}

// Replace the parts with this selector by the server's current ones.
export async function renewParts(selector, headers) {
  const response = await fetch(location.href, { headers }).catch(() => null)
  if (!response?.ok) return location.reload()
  await replaceParts(selector, response)
}

async function replaceParts(selector, response) {
  const page = new DOMParser().parseFromString(await response.text(), "text/html")
  const parts = document.querySelectorAll(selector)
  const newParts = page.querySelectorAll(selector)
  if (parts.length !== newParts.length) location.reload()
  else for (const [index, part] of parts.entries()) replacePart(part, newParts[index])
  return page
}

// Move the focus from the pressed button to its replacement.
function replacePart(part, newPart) {
  const hadFocus = part.contains(document.activeElement)
  const { id } = document.activeElement
  const next = part.querySelector("[name=next]")?.value
  part.replaceWith(newPart)
  for (const field of newPart.querySelectorAll("[name=next]")) field.value = next ?? field.value
  emit("inserted", newPart)
  if (!hadFocus) return
  const same = newPart.querySelector(`[id="${id}"]:enabled`)
  const target = same ?? newPart.querySelector("button") ?? newPart.closest("[tabindex]")
  target?.focus({ preventScroll: true })
}
