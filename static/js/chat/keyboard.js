// Keys of an open chat: Alt with up and down moves between chats, up and down or j and k between
// messages, r opens the reactions. And notifications of the browser.
const list = document.querySelector("[data-chat]")
const button = document.querySelector("[data-notify]")
const STEPS = { ArrowUp: -1, ArrowDown: 1, k: -1, j: 1 }

function neighbour(elements, current, step) {
  if (current) return elements[elements.indexOf(current) + step]
  return elements.at(step < 0 ? -1 : 0)
}

function openNeighbourChat(step) {
  const links = [...document.querySelectorAll("[data-rows] a")]
  const current = links.find(link => link.ariaCurrent)
  neighbour(links, current, step)?.click()
}

function focusNeighbourMessage(current, step) {
  neighbour([...list.querySelectorAll("[data-message]")], current, step)?.focus()
}

function openReactions(message) {
  const menu = message.querySelector(".message-menu")
  menu.open = true
  menu.querySelector("button").focus()
}

addEventListener("keydown", event => {
  const { key, target } = event
  const step = STEPS[key]
  const message = target.closest("[data-message]")
  if (event.ctrlKey || event.metaKey || event.isComposing) return
  if (event.altKey && step) openNeighbourChat(step)
  else if (target.closest("input, textarea, select, details[open]")) return
  else if (step && (message || target.closest("[data-scroll]")))
    focusNeighbourMessage(message, step)
  else if (key === "r" && message) openReactions(message)
  else return
  event.preventDefault()
})

if (button && "Notification" in window) {
  button.hidden = Notification.permission !== "default"
  button.addEventListener("click", async () => {
    button.hidden = (await Notification.requestPermission()) !== "default"
  })
}

document.addEventListener("linnet:came", ({ detail: message }) => {
  const isMine = message.dataset.by === list.dataset.me
  const isAllowed = window.Notification?.permission === "granted"
  if (!document.hidden || "muted" in list.dataset || isMine || !isAllowed) return
  const [author, body] = [".message-by", ".message-text"].map(part =>
    message.querySelector(part)?.textContent.trim(),
  )
  show(author, { body, tag: `chat ${list.dataset.chat}` })
})

async function show(author, options) {
  try {
    const notification = new Notification(author, options)
    notification.onclick = () => {
      focus()
      notification.close()
    }
  } catch {
    // On phones only service workers may show one. This site's opens the address.
    const worker = await navigator.serviceWorker.ready
    worker.showNotification(author, { ...options, data: { url: location.href } })
  }
}
