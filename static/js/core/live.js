// Offers new posts on an open page, and updates the posts it shows.
import { showLine } from "./announcements.js"
import { connect } from "./connection.js"
import { emit, onPage } from "./posts.js"

const SPREAD = 3_000 // ms: readers do not all ask in the same moment
const TALLY_DELAY = 1_500 // ms: votes are sent once a second

function start(bar) {
  const { stream, fragment, one, many, stale, deleted, hidden, unsent } = bar.dataset
  const { page } = document.querySelector("[data-page]").dataset
  const list = bar.parentElement
  const button = bar.firstElementChild
  const { title } = document
  const isMember = "chats" in document.body.dataset
  const pending = new Map() // id → its author and its booster, if it has one
  // Below a full page, older posts are on the next one.
  const next = list.querySelector("[rel=next]")
  const floor = next ? Number(new URL(next.href).searchParams.get("max_id")) : 0
  let lastEventId
  let opening // what shows the pending posts, loaded once there are some
  let isStale

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
      if (onPage(id)) setTimeout(renew, Math.random() * SPREAD, id)
    },
    onTally({ id }) {
      setTimeout(renewResults, TALLY_DELAY + Math.random() * SPREAD, id)
    },
    async onCounts(counts) {
      ;(await import("../statuses/live-counts.js")).showCounts(counts)
    },
    async onDelete({ id }) {
      pending.delete(id)
      ;(await import("./removed-post.js")).replaceWithNote(id, deleted)
    },
    async onHide({ account, followers }) {
      for (const [id, people] of pending) if (people.includes(account)) pending.delete(id)
      const { hideAuthor } = await import("./hidden-author.js")
      hideAuthor(list, account, hidden, followers && isMember ? fragment : "")
    },
    onReload() {
      const fields = document.querySelectorAll("main textarea, main input:not([type=hidden])")
      isStale = [...fields].some(field => field.value !== field.defaultValue)
      if (!isStale) location.reload()
    },
  }

  async function renew(id) {
    ;(await import("./fetched-posts.js")).renew(fragment, id)
  }

  // The reader may have voted since the votes were counted.
  function renewResults(id) {
    if (onPage(id)?.querySelector(".poll-results")) renew(id)
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

  function showCount() {
    for (const id of pending.keys()) if (onPage(id)) pending.delete(id)
    const count = pending.size
    const text = isStale ? stale : (count === 1 ? one : many).replace("#", count)
    button.hidden = !count && !isStale
    if (!button.hidden) opening ??= import("./pending-posts.js").catch(() => null)
    if (button.textContent !== text) button.textContent = text
    document.title = count ? `(${count}) ${title}` : title
  }

  async function showPending() {
    if (!navigator.onLine) return showLine(unsent)
    const module = await opening
    if (!module) return location.assign(location.pathname + location.search)
    await module.showPending(bar, pending, isStale)
    showCount()
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
