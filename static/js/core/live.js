// Offers new posts on an open page, and updates the posts it shows.
import { connect } from "./connection.js"
import { boostLine, emit, fetchPosts, idOf, onPage, postIn, renew } from "./posts.js"

const SPREAD = 3_000 // ms: readers do not all ask in the same moment
const TALLY_DELAY = 1_500 // ms: votes are sent once a second

function start(bar) {
  const { stream, page, fragment, maxItems, one, many, stale, deleted, hidden } = bar.dataset
  const list = bar.parentElement
  const button = bar.firstElementChild
  const title = document.title
  const isMember = "chats" in document.body.dataset
  const pending = new Map() // id → its author and its booster, if it has one
  // Below a full page, older posts are on the next one.
  const next = list.querySelector("[rel=next]")
  const floor = next ? Number(new URL(next.href).searchParams.get("max_id")) : 0
  let lastEventId
  let isStale = false

  const handlers = {
    onMark() {},
    onUpdate({ id, account }) {
      if (!onPage(id) && id > floor) pending.set(id, [account.id])
    },
    onBoost({ id, boost, account, author }) {
      if (!onPage(id) && !pending.has(id) && boost > floor) pending.set(id, [author, account.id])
    },
    onUnboost({ id, account }) {
      if (pending.get(id)?.[1] === account.id) pending.delete(id)
    },
    onEdit({ id }) {
      if (onPage(id)) setTimeout(renew, Math.random() * SPREAD, fragment, id)
    },
    onTally({ id }) {
      setTimeout(renewResults, TALLY_DELAY + Math.random() * SPREAD, id)
    },
    async onCounts(counts) {
      ;(await import("../statuses/live-counts.js")).showCounts(counts)
    },
    onDelete({ id }) {
      pending.delete(id)
      replace([id], deleted)
    },
    async onHide({ account, followers }) {
      for (const [id, people] of pending) if (people.includes(account)) pending.delete(id)
      const posts = postsOf(account)
      const visible = followers && isMember && posts.length ? await stillVisible(posts) : []
      replace(
        posts.map(idOf).filter(id => !visible.includes(id)),
        hidden,
      )
    },
    onReload() {
      const fields = document.querySelectorAll("main textarea, main input:not([type=hidden])")
      isStale = [...fields].some(field => field.value !== field.defaultValue)
      if (!isStale) location.reload()
    },
  }

  async function replace(ids, text) {
    const { replaceWithNote } = await import("./removed-post.js")
    for (const id of ids) replaceWithNote(id, text)
  }

  // The reader may have voted since the votes were counted.
  function renewResults(id) {
    if (onPage(id)?.querySelector(".poll-results")) renew(fragment, id)
  }

  function listen(source) {
    emit("source", source)
    for (const [handler, handle] of Object.entries(handlers)) {
      source.addEventListener(handler.slice("on".length).toLowerCase(), event => {
        lastEventId = event.lastEventId
        handle(JSON.parse(event.data))
        showCount()
      })
    }
  }

  // The posts on this page that a member wrote or boosted.
  function postsOf(account) {
    return [...list.getElementsByClassName("status")].filter(post =>
      [post, boostLine(post)].some(part => part?.dataset.author === account),
    )
  }

  // The ids of the posts that this reader may still see.
  async function stillVisible(posts) {
    const names = posts.map(post =>
      [idOf(post), boostLine(post)?.dataset.author].filter(Boolean).join("-"),
    )
    const parts = (await fetchPosts(fragment, names)) ?? []
    return parts.map(part => idOf(postIn(part)))
  }

  function showCount() {
    for (const id of pending.keys()) if (onPage(id)) pending.delete(id)
    const count = pending.size
    const text = isStale ? stale : (count === 1 ? one : many).replace("#", count)
    button.hidden = !count && !isStale
    if (button.textContent !== text) button.textContent = text
    document.title = count ? `(${count}) ${title}` : title
  }

  async function refreshThread(ids) {
    await (await import("../statuses/refresh-thread.js")).refreshThread(list, fragment)
    focusFirst(ids, ids.map(onPage).filter(Boolean))
  }

  async function showPending() {
    const ids = [...pending.keys()]
    if (maxItems === "0" && !isStale) return refreshThread(ids)
    const names = ids.map(id => [id, ...pending.get(id).slice(1)].join("-"))
    const parts = !isStale && ids.length <= maxItems && (await fetchPosts(fragment, names))
    if (!parts) return location.assign(location.pathname + location.search)
    const added = parts.filter(part => pending.has(idOf(postIn(part))))
    if (added.length) list.querySelector(".empty")?.remove()
    bar.after(...added)
    focusFirst(ids, added)
  }

  function focusFirst(ids, added) {
    for (const id of ids) pending.delete(id)
    showCount()
    if (!added.length) return
    emit("inserted", list)
    added[0].tabIndex = -1
    added[0].focus({ preventScroll: true })
    added[0].scrollIntoView()
  }

  button.addEventListener("click", showPending)
  document.addEventListener("linnet:inserted", showCount)
  connect({
    address: () => `${stream}${lastEventId ? `since=${lastEventId}` : `page=${page}`}`,
    isWanted: () => !document.hidden,
    onOpen: listen,
  })
}

for (const bar of document.querySelectorAll("[data-live]")) start(bar)
