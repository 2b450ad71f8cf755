// Keyboard shortcuts. A member may turn them off: for this browser, as the theme is.
const OFF = "shortcuts-off" // in the browser's storage
const PLACES = {
  h: "home",
  e: "explore",
  p: "public",
  n: "notifications",
  c: "chats",
  b: "bookmarks",
}
const ACTIONS = { r: "reply", l: "like", b: "boost", s: "bookmark" }
const POSTS = ".status, .tile"
const PAIR = 3_000 // ms between the two keys of a pair
let last
let storage = {} // where the browser keeps nothing, the choice ends with the page
try {
  storage = localStorage ?? {}
} catch {}

export function press(event) {
  const { key, repeat, target, timeStamp } = event
  // Not every browser knows popovers: what it does not know of this list, it leaves out.
  if (document.querySelector(":is(dialog[open], :popover-open)")) return
  if (key === "?") return showHelp()
  if (storage[OFF] || (repeat && !"jk".includes(key))) return
  const isPlace = last?.key === "g" && timeStamp - last.timeStamp < PAIR && PLACES[key]
  last = event
  if (isPlace) location.assign(`/${PLACES[key]}`)
  else if (key === "j") move(1)
  else if (key === "k") move(-1)
  // A picture is a link itself, which Enter follows, as it does links in posts.
  else if (key === "o" || (key === "Enter" && target.matches(".status"))) linkOf(current())?.click()
  else if (key === "n") write()
  else if (key === "/") search()
  else current()?.querySelector(`.action-${ACTIONS[key]}`)?.click()
}

const current = () => document.activeElement.closest(POSTS)
const linkOf = post => post?.closest(".tile") ?? post?.querySelector(".status-time")

function move(step) {
  const posts = [...document.querySelectorAll(POSTS)].filter(isInSight)
  const inSight = posts.findIndex(post => post.getBoundingClientRect().bottom > innerHeight / 8)
  const now = posts.indexOf(current())
  const next = posts[now < 0 ? inSight : now + step]
  next?.focus({ preventScroll: true })
  next?.scrollIntoView({ block: "center" })
}

const write = () => goTo(document.querySelector(".composer-input"), "/statuses/new")
const isInSight = element => element.checkVisibility()
const search = () => goTo([...document.querySelectorAll(".search-box")].find(isInSight), "/search")

function goTo(field, path) {
  // Not before the key has had its effect, or the field would get its letter.
  if (field) setTimeout(() => field.focus())
  else location.assign(path)
}

async function showHelp() {
  const response = await fetch("/shortcuts").catch(() => null)
  const page = new DOMParser().parseFromString(
    response?.ok ? await response.text() : "",
    "text/html",
  )
  const help = page.querySelector(".shortcuts")
  if (!help) return location.assign("/shortcuts")
  if (document.querySelector("dialog[open]")) return
  const dialog = document.createElement("dialog")
  dialog.className = "dialog"
  dialog.append(page.querySelector("h1"), help)
  help.querySelector("form").hidden = false
  dialog.setAttribute("aria-label", dialog.firstChild.textContent)
  dialog.onclose = () => dialog.remove()
  dialog.addEventListener("click", ({ target }) => target === dialog && dialog.close())
  document.querySelector("main").append(dialog)
  dialog.showModal()
  showSwitch(dialog)
}

export function showSwitch(part) {
  const box = part.querySelector("[data-shortcuts]")
  box.checked = !storage[OFF]
  box.closest("[hidden]").hidden = false
  box.onchange = () => {
    storage[OFF] = box.checked ? "" : "1"
  }
}
