// Listens, once a page, for what is unread and, where a chat is open, for all that happens in it; tells the page.
const FIRST = 1_000, LONGEST = 60_000, SOON = 2_000 // ms until the next try: doubled each time, and random; ms
const EVENTS = ["message", "mark", "reload", "chat", "gone", "typing", "seen", "here", "badge"]
const chat = document.querySelector("[data-chat]"), title = document.title
const busy = document.querySelector("[data-live]") // has a stream of its own
let source, timer, showing, last = chat?.dataset.position, pause = FIRST

function pass(source) {
  for (const name of EVENTS)
    source.addEventListener(name, ({ data, lastEventId }) => {
      if (chat && lastEventId) last = lastEventId
      document.dispatchEvent(new CustomEvent(`linnet:${name}`, { detail: JSON.parse(data) }))
    })
}

function listen() {
  clearTimeout(timer)
  if (source || (document.hidden && !chat)) return
  const address = document.body.dataset.chats + (chat ? `?chat=${chat.dataset.chat}&since=${last}` : "")
  source = new EventSource(address, { withCredentials: true })
  source.onopen = () => (pause = FIRST)
  source.onerror = () => {
    stop()
    timer = setTimeout(listen, Math.random() * pause)
    pause = Math.min(pause * 2, LONGEST)
  }
  pass(source)
}

function stop() {
  clearTimeout(timer)
  source?.close()
  source = null
}

// The number, where there is one to show.
function count(element, number) {
  element.hidden = !number
  element.firstElementChild.textContent = number
}

function show({ all, chats, notifications }) {
  const now = { chats: all, notifications }
  for (const one of document.querySelectorAll("[data-badge]")) count(one, now[one.dataset.badge])
  for (const one of document.querySelectorAll("[data-unread]")) count(one, chats[one.dataset.unread])
  all += notifications
  if (!busy) document.title = all ? `(${all}) ${title}` : title
}

document.addEventListener("linnet:badge", ({ detail }) => {
  clearTimeout(showing)
  // What comes before one's eyes is about to be read.
  const soon = "watched" in (chat?.dataset ?? {}) && detail.chats[chat.dataset.chat]
  showing = setTimeout(show, soon ? SOON : 0, detail)
})
document.addEventListener("linnet:gone", stop)
if (busy) document.addEventListener("linnet:source", event => pass(event.detail))
else {
  document.addEventListener("visibilitychange", () => (document.hidden && !chat ? stop() : listen()))
  addEventListener("pagehide", stop)
  addEventListener("pageshow", listen)
  listen()
}
