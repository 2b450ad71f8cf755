// Puts a note where a post was. It keeps the id, so that the post is not offered again.
import { boostLine, onPage } from "./posts.js"

export function replaceWithNote(id, text) {
  const post = onPage(id)
  if (!post) return
  const note = document.createElement("p")
  Object.assign(note, { className: "live-gone", id: post.id, tabIndex: -1, textContent: text })
  const hadFocus = post.contains(document.activeElement)
  boostLine(post)?.remove()
  post.replaceWith(note)
  if (hadFocus) note.focus()
}
