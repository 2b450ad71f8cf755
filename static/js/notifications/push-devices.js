// Turns notifications on for this browser: asks for permission, subscribes, and sends the form.
const form = document.querySelector(".push-subscribe")
const button = form?.querySelector("button")
const { dataset } = document.querySelector(".push")
const note = document.querySelector(".push-note")
const isPossible = "PushManager" in window && "Notification" in window && navigator.serviceWorker

function say(reason) {
  note.textContent = dataset[reason]
  note.hidden = !dataset[reason]
}

async function manager() {
  const registration = await navigator.serviceWorker.ready
  return registration.pushManager
}

// A subscription of another session, or one that was turned off, is of no use.
async function unsubscribe() {
  const subscription = await (await manager()).getSubscription()
  await subscription?.unsubscribe()
}

async function subscribe() {
  if ((await Notification.requestPermission()) !== "granted") return say("denied")
  await unsubscribe()
  const options = { userVisibleOnly: true, applicationServerKey: dataset.key }
  const { endpoint, keys } = (await (await manager()).subscribe(options)).toJSON()
  for (const [name, value] of Object.entries({ endpoint, ...keys }))
    form.elements[name].value = value
  form.requestSubmit()
}

async function start() {
  button.disabled = true
  say("waiting")
  await subscribe().catch(() => say("failed"))
  button.disabled = false
}

if (form && !isPossible) say("unsupported")
else if (form) {
  say(Notification.permission === "denied" ? "denied" : "ready")
  form.hidden = false
  button.addEventListener("click", start)
  unsubscribe().catch(() => {})
}
