// Fetches posts for an open page.
import { emit, onPage } from "./posts.js"

// The post in a part of a list: the part itself, the one below a joint or "boosted by", the one above a
// link to its thread or an author's button, or a folded one.
export function postIn(part) {
  if (part.matches(".show-thread, .status-links")) return postIn(part.previousElementSibling)
  if (part.matches(".boosted, .joint")) return postIn(part.nextElementSibling)
  return part.querySelector(".status") ?? part
}

// Fetch the posts with these ids as page parts; null if the server does not answer.
export async function fetchPosts(fragment, ids) {
  const response = await fetch(`${fragment}ids=${ids}`).catch(() => null)
  if (!response?.ok) return null
  const template = document.createElement("template")
  template.innerHTML = await response.text()
  for (const post of template.content.children) {
    post.tabIndex = -1
    for (const field of post.querySelectorAll("[name=next]")) {
      field.value = location.pathname + location.search
    }
  }
  return [...template.content.children]
}

// Fetch a post again, unless the reader is using it. Keep the focus if it is on the post itself.
export async function renew(fragment, id) {
  const [post] = (await fetchPosts(fragment, [id])) ?? []
  const old = onPage(id)
  const active = document.activeElement
  if (!post || !old?.matches(".status") || (old !== active && old.contains(active))) return
  old.replaceWith(post)
  emit("inserted", post.parentElement)
  if (old === active) post.focus({ preventScroll: true })
}
