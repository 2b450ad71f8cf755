// Gives a post that comes to an open page of a group what the group adds to it: votes, and acts of its owners.
import { emit } from "../core/posts.js"

const list = document.querySelector("[data-live]").parentElement

async function complete() {
  const posts = list.querySelectorAll(":scope > .status")
  const response = posts.length && (await fetch(location.pathname).catch(() => null))
  if (!response?.ok) return
  const page = new DOMParser().parseFromString(await response.text(), "text/html")
  const completed = [...posts].filter(post => replace(post, page.getElementById(post.id)))
  if (completed.length) emit("inserted", list)
}

// The group may not have it yet: the stream tells when it does.
function replace(post, newPost) {
  if (!newPost || !post.isConnected) return false
  const hadFocus = post === document.activeElement
  post.replaceWith(newPost.closest(".group-post"))
  newPost.tabIndex = -1
  if (hadFocus) newPost.focus({ preventScroll: true })
  return true
}

document.addEventListener("linnet:inserted", complete)
document.addEventListener("linnet:source", ({ detail: source }) => {
  source.addEventListener("update", complete)
})
