// Keeps what is written in a composer as a draft, some seconds after the last key. A post that is sent waits for it, so
// that the draft is not saved after its post.
const DELAY = 4_000 // ms
const TIMEOUT = 5_000 // ms
const started = new WeakSet()

export function start(form) {
  if (started.has(form)) return
  started.add(form)
  const note = form.querySelector("[data-saved]")
  let timer
  let request

  function later() {
    clearTimeout(timer)
    timer = setTimeout(save, DELAY)
  }

  function stop() {
    clearTimeout(timer)
    timer = 0
  }

  async function save() {
    stop()
    const entries = [...new FormData(form)]
    const texts = entries.filter(([, value]) => typeof value === "string")
    const hasFiles = entries.some(([, value]) => value.size)
    const body = new URLSearchParams(texts)
    const signal = AbortSignal.timeout(TIMEOUT)
    const options = { method: "POST", body, signal, keepalive: true }
    request = fetch(form.dataset.autosave, options).catch(() => null)
    const response = await request
    request = null
    if (!response?.ok || response.redirected) return // the tab still keeps it
    const { saved } = await response.json()
    note.textContent = saved ? note.dataset[hasFiles ? "savedTexts" : "saved"] : ""
  }

  async function onSubmit(event) {
    stop()
    if (!request) return
    event.preventDefault()
    event.stopImmediatePropagation()
    await request
    form.requestSubmit(event.submitter)
  }

  for (const type of ["input", "change"]) form.addEventListener(type, later)
  form.addEventListener("submit", onSubmit, true)
  addEventListener("pagehide", () => timer && save())
  document.addEventListener("linnet:blank", () => {
    stop()
    note.textContent = ""
  })
  later()
}
