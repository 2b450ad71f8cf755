// What members of an open chat do right now: who writes, who is there, who has read; and the list beside it.
const WRITES = 5_000, SHOWN = 3, PAUSE = 5_000 // ms; names; ms between two looks at the list, and up to as long again
const list = document.querySelector("[data-chat]"), rows = document.querySelector("[data-rows]")
const names = new Intl.ListFormat(document.documentElement.lang)
const writing = new Map(), readers = new Map() // uid → a timer and a name; uid → name
let looked = 0, looking, told = "", present = { uids: [] }

const find = name => document.querySelector(`[data-${name}]`)
const say = (element, words) => ((element.hidden = !words), (element.textContent = words))
const hear = (name, act) => document.addEventListener(`linnet:${name}`, event => act(event.detail))
const listed = all => names.format(all.length > SHOWN ? [...all.slice(0, SHOWN - 1), `+${all.length - SHOWN + 1}`] : all)
const last = () => [...list.querySelectorAll("[data-message]")].at(-1)?.dataset ?? {}

function showWriting() {
  const all = [...writing.values()].map(one => one.name), { one, many } = find("typing").dataset
  say(find("typing"), all.length ? (all.length === 1 ? one : many).replace("#", () => listed(all)) : "")
}

function stop(uid) {
  clearTimeout(writing.get(uid)?.timer)
  if (writing.delete(uid)) showWriting()
}

function typing({ uid, name }) {
  if (uid == list.dataset.me) return
  clearTimeout(writing.get(uid)?.timer)
  writing.set(uid, { name, timer: setTimeout(stop, WRITES, uid) })
  showWriting()
}

function seen({ uid, id, name }) {
  const { message, by } = last()
  if (id != message || uid == by || uid == list.dataset.me) return
  readers.set(uid, name)
  say(find("seen"), find("seen").dataset.words.replace("#", () => listed([...readers.values()])))
}

function came(message) {
  readers.clear()
  say(find("seen"), "")
  stop(Number(message.dataset.by))
}

function here(now) {
  present = now
  const others = now.uids.filter(uid => uid != list.dataset.me).length, { one, many } = find("present").dataset
  say(find("present"), others ? (others === 1 ? one : many).replace("#", others) : "")
}

// A page of the chat that shows no message counts none as read.
async function look() {
  looking = null
  looked = Date.now()
  if (document.hidden) return
  const answer = await fetch(list ? `/chats/${list.dataset.chat}?before=1` : location.href).catch(() => null)
  const html = answer?.ok && (await answer.text().catch(() => ""))
  if (!html) return
  const page = new DOMParser().parseFromString(html, "text/html")
  for (const part of ["[data-rows]", "[data-title]"]) {
    const [old, fresh] = [document, page].map(one => one.querySelector(part))
    if (old && fresh && !old.contains(document.activeElement)) old.replaceWith(document.adoptNode(fresh))
  }
  if (list) here(present)
  document.dispatchEvent(new CustomEvent("linnet:inserted", { detail: document }))
}

const lookSoon = () => (looking ??= setTimeout(look, Math.max(looked + PAUSE - Date.now(), 200) + Math.random() * (looked && PAUSE)))

// What comes to the open chat is seen beside the list.
hear("badge", ({ chats }) => {
  const { [list?.dataset.chat]: open, ...others } = chats, now = JSON.stringify(others)
  if (told && told !== now && rows) lookSoon()
  told = now
})
if (list) {
  for (const one of document.querySelectorAll("[data-reader]")) readers.set(Number(one.dataset.reader), one.textContent)
  hear("typing", typing)
  hear("seen", seen)
  hear("came", came)
  hear("here", here)
  hear("chat", lookSoon)
}
document.addEventListener("visibilitychange", () => looking || (document.hidden ? 0 : rows && lookSoon()))
