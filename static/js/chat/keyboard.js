// Keys of an open chat: Alt with up and down from chat to chat, up and down or j and k from message to message, r to react.
const list = document.querySelector("[data-chat]")
const button = document.querySelector("[data-notify]")

const step = (all, from, by) => (from ? all[all.indexOf(from) + by] : all.at(by < 0 ? -1 : 0))

addEventListener("keydown", event => {
  const { key, target } = event
  const by = { ArrowUp: -1, ArrowDown: 1, k: -1, j: 1 }[key]
  if (event.ctrlKey || event.metaKey || event.isComposing) return
  if (event.altKey && by) {
    const chats = [...document.querySelectorAll("[data-rows] a")]
    step(chats, chats.find(one => one.ariaCurrent), by)?.click()
  } else if (target.closest("input, textarea, select, details[open]")) return
  else if (by && target.closest("[data-message], [data-scroll]")) {
    step([...list.querySelectorAll("[data-message]")], target.closest("[data-message]"), by)?.focus()
  } else if (key === "r" && target.closest("[data-message]")) {
    const menu = target.closest("[data-message]").querySelector(".message-menu")
    menu.open = true
    menu.querySelector("button").focus()
  } else return
  event.preventDefault()
})

if (button && "Notification" in window) {
  button.hidden = Notification.permission !== "default"
  button.addEventListener("click", async () => (button.hidden = (await Notification.requestPermission()) !== "default"))
}
document.addEventListener("linnet:came", ({ detail: message }) => {
  if (!document.hidden || "muted" in list.dataset || message.dataset.by === list.dataset.me || window.Notification?.permission !== "granted") return
  const [by, body] = [".message-by", ".message-text"].map(part => message.querySelector(part)?.textContent.trim())
  const notice = new Notification(by, { body, tag: `chat ${list.dataset.chat}` })
  notice.onclick = () => (focus(), notice.close())
})
