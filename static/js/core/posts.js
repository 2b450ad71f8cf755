// The posts on a page: how to find them, and events about them.
export const emit = (name, detail) =>
  document.dispatchEvent(new CustomEvent(`linnet:${name}`, { detail }))
export const idOf = post => post.id.slice("status-".length)
export const onPage = id => document.getElementById(`status-${id}`)

// The "boosted by" line above a post, null if it has none.
export function boostLine(post) {
  const before = (post.closest(".filtered") ?? post).previousElementSibling
  return before?.matches(".boosted") ? before : null
}
