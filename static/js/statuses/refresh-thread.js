// Fetches an open thread again: what is new has its place in it. The reader's draft stays.
import { renew } from "../core/fetched-posts.js"
import { idOf } from "../core/posts.js"

export async function refreshThread(list, fragment) {
  const response = await fetch(location.pathname + location.search).catch(() => null)
  if (!response?.ok) return location.assign(location.pathname)
  const thread = new DOMParser().parseFromString(await response.text(), "text/html")
  list.querySelector(".thread")?.remove()
  list.append(...thread.querySelectorAll(".thread"))
  for (const post of list.querySelectorAll(".status-large")) renew(fragment, idOf(post))
}
