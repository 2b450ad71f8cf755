// Offers new posts; renews what was edited; takes away what is gone.
const FIRST = 1_000, LONGEST = 60_000 // ms until the next try: doubled, and random
const SPREAD = 3_000 // ms

const emit = (name, detail) => document.dispatchEvent(new CustomEvent(`linnet:${name}`, { detail }))

function start(bar) {
  const { stream, page, fragment, most, one, many, stale, deleted, hidden } = bar.dataset
  const list = bar.parentElement, button = bar.firstElementChild, title = document.title
  const pending = new Map() // id → whose it is, and who boosts it if it came so, until shown
  const posts = list.getElementsByClassName("status")
  const shown = id => document.getElementById(`status-${id}`)
  const idOf = post => post.id.slice("status-".length)
  // Below a full page, what is older is on the next one.
  const next = list.querySelector("[rel=next]")
  const floor = next ? Number(new URL(next.href).searchParams.get("max_id")) : 0
  const posted = part => (part.matches(".boosted") ? posted(part.nextElementSibling) : part.querySelector(".status") ?? part)
  const member = "chats" in document.body.dataset
  let source, timer, last, pause = FIRST, old = false

  function listen() {
    clearTimeout(timer)
    if (source || document.hidden) return
    source = new EventSource(`${stream}?${last ? `since=${last}` : `page=${page}`}`, { withCredentials: member })
    emit("source", source)
    source.onopen = () => (pause = FIRST)
    source.onerror = () => {
      stop()
      timer = setTimeout(listen, Math.random() * pause)
      pause = Math.min(pause * 2, LONGEST)
    }
    for (const name in heed) {
      source.addEventListener(name, event => {
        last = event.lastEventId
        heed[name](JSON.parse(event.data))
        tell()
      })
    }
  }

  function stop() {
    clearTimeout(timer)
    source?.close()
    source = null
  }

  const heed = {
    mark() {},
    update({ id, account }) {
      if (!shown(id) && id > floor) pending.set(id, [account.id])
    },
    boost({ id, boost, account, author }) {
      if (!shown(id) && !pending.has(id) && boost > floor) pending.set(id, [author, account.id])
    },
    unboost({ id, account }) {
      if (pending.get(id)?.[1] === account.id) pending.delete(id)
    },
    edit({ id }) {
      if (shown(id)) setTimeout(renew, Math.random() * SPREAD, id) // so that not all ask at once
    },
    tally({ id }) {
      // Later than the votes of the second that is told once.
      if (shown(id)?.querySelector(".poll-results")) setTimeout(renew, 1500 + Math.random() * SPREAD, id)
    },
    delete({ id }) {
      pending.delete(id)
      if (shown(id)) replace(shown(id), deleted)
    },
    async hide({ account, followers }) {
      for (const [id, people] of pending) if (people.includes(account)) pending.delete(id)
      const theirs = [...posts].filter(post => [post, line(post)].some(part => part?.dataset.author === account))
      const ids = theirs.map(idOf), names = theirs.map(post => [idOf(post), line(post)?.dataset.author].filter(Boolean).join("-"))
      // Whoever they are still for keeps what is given now.
      const left = followers && member && ids.length ? ((await load(names)) ?? []) : []
      const kept = left.map(part => idOf(posted(part)))
      for (const id of ids) if (!kept.includes(id) && shown(id)) replace(shown(id), hidden)
    },
    reload() {
      const fields = document.querySelectorAll("main textarea, main input:not([type=hidden])")
      old = [...fields].some(field => field.value !== field.defaultValue)
      if (!old) location.reload()
    },
  }

  function tell() {
    const count = pending.size
    const words = old ? stale : (count === 1 ? one : many).replace("#", count)
    button.hidden = !count && !old
    if (button.textContent !== words) button.textContent = words
    document.title = count ? `(${count}) ${title}` : title
  }

  // What stands above a post that somebody boosted.
  function line(post) {
    const before = (post.closest(".filtered") ?? post).previousElementSibling
    return before?.matches(".boosted") ? before : null
  }

  // With its id, so that it is not told of again.
  function replace(post, words) {
    const looks = { className: "live-gone", id: post.id, tabIndex: -1, textContent: words }
    const note = Object.assign(document.createElement("p"), looks)
    const focused = post.contains(document.activeElement)
    line(post)?.remove()
    post.replaceWith(note)
    if (focused) note.focus()
  }

  // The posts of these numbers, those that are there; nothing where they cannot be had.
  async function load(ids) {
    const answer = await fetch(`${fragment}ids=${ids}`).catch(() => null)
    if (!answer?.ok) return null
    const fresh = document.createElement("template")
    fresh.innerHTML = await answer.text()
    for (const post of fresh.content.children) {
      post.tabIndex = -1
      for (const field of post.querySelectorAll("[name=next]")) field.value = location.pathname
    }
    return [...fresh.content.children]
  }

  // Not under the hands of who is at it; whoever has only just been led to it stays there.
  async function renew(id) {
    const [post] = (await load([id])) ?? [], was = shown(id), at = document.activeElement
    if (!post || !was || (was !== at && was.contains(at))) return
    was.replaceWith(post)
    emit("inserted", list)
    if (was === at) post.focus({ preventScroll: true })
  }

  // What is new in a thread has its place there. What the reader writes stays.
  async function regrow(ids) {
    const answer = await fetch(location.pathname).catch(() => null)
    if (!answer?.ok) return location.assign(location.pathname)
    const page = new DOMParser().parseFromString(await answer.text(), "text/html")
    list.querySelector(".thread")?.remove()
    list.append(...page.querySelectorAll(".thread"))
    list.querySelectorAll(".status-large").forEach(post => renew(idOf(post))) // its numbers
    lead(ids, ids.map(shown).filter(Boolean))
  }

  function lead(ids, added) {
    for (const id of ids) pending.delete(id)
    tell()
    if (!added.length) return
    emit("inserted", list)
    added[0].tabIndex = -1
    added[0].focus({ preventScroll: true })
    added[0].scrollIntoView()
  }

  async function show() {
    const ids = [...pending.keys()]
    if (most === "0" && !old) return regrow(ids)
    const names = ids.map(id => [id, ...pending.get(id).slice(1)].join("-"))
    const found = !old && ids.length <= most && (await load(names))
    if (!found) return location.assign(location.pathname)
    const added = found.filter(part => pending.has(idOf(posted(part))))
    if (added.length) list.querySelector(".empty")?.remove()
    bar.after(...added)
    lead(ids, added)
  }

  button.addEventListener("click", show)
  document.addEventListener("visibilitychange", () => (document.hidden ? stop() : listen()))
  addEventListener("pagehide", stop)
  addEventListener("pageshow", listen)
  listen()
}

document.querySelectorAll("[data-live]").forEach(start)
