// Shows the posts that came meanwhile, once their reader asks for them.
import { fetchPosts, postIn } from "./fetched-posts.js"
import { emit, idOf, onPage } from "./posts.js"

// `pending`: id → its author and its booster, if it has one. Those that are shown are taken out.
export async function showPending(bar, pending, isStale) {
  const list = bar.parentElement
  const ids = [...pending.keys()]
  const isThread = bar.dataset.maxItems === "0" && !isStale
  const added = isThread ? await refresh(bar, ids) : await insert(bar, pending, isStale)
  if (!added) return location.assign(location.pathname + location.search)
  for (const id of ids) pending.delete(id)
  if (!added.length) return
  emit("inserted", list)
  added[0].tabIndex = -1
  added[0].focus({ preventScroll: true })
  added[0].scrollIntoView()
}

async function refresh(bar, ids) {
  const { refreshThread } = await import("../statuses/refresh-thread.js")
  await refreshThread(bar.parentElement, bar.dataset.fragment)
  return ids.map(onPage).filter(post => post && !post.closest(".thread-hidden"))
}

// Return the new parts of the list, null if it has to be loaded again.
async function insert(bar, pending, isStale) {
  const { fragment, maxItems } = bar.dataset
  const names = [...pending].map(([id, people]) => [id, ...people.slice(1)].join("-"))
  const parts = !isStale && names.length <= maxItems && (await fetchPosts(fragment, names))
  if (!parts) return null
  const added = parts.filter(part => pending.has(idOf(postIn(part))))
  if (added.length) bar.parentElement.querySelector(".empty")?.remove()
  bar.after(...added)
  return added
}
