// Puts back what was written in a form and not sent, as composer.js saved it: [name, value, value at first].
import { addPost } from "./thread.js"

export function restore(form, saved, weigh) {
  for (const [name, value, defaultValue] of JSON.parse(saved)) {
    const field = form.elements[name] ?? addPost(form, weigh)
    // Left alone: the server has filled it in with something else since, or the member has begun to write.
    if (field.value !== defaultValue) continue
    field.value = value
    field.closest("details")?.setAttribute("open", "")
    field.dispatchEvent(new Event("input", { bubbles: true }))
  }
}
