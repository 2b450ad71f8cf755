// Hides a page that the browser may keep for going back, and shows it again if it is still this session's.
// Sends a form once, however often its button is pressed.
const RESEND_AFTER = 5_000 // ms, in case it was stopped, or its answer is a file
const sent = new Set() // forms on their way
const { style } = document.documentElement
const { session = "" } = document.body.dataset

const isEnded = () => (document.cookie.split("linnet_viewer=")[1] ?? "").slice(0, 16) !== session

addEventListener("pagehide", ({ persisted }) => {
  if (persisted) style.visibility = "hidden"
})

// It hears last of a submission, when no script has taken it over.
addEventListener("submit", event => {
  const form = event.target
  if (event.defaultPrevented || form.method !== "post") return
  if (sent.has(form)) return event.preventDefault()
  sent.add(form)
  setTimeout(() => sent.delete(form), RESEND_AFTER)
})

addEventListener("pageshow", async ({ persisted }) => {
  sent.clear()
  if (!persisted) return
  if (!isEnded()) {
    style.visibility = ""
    // The answer removes the cookie of a session that has ended elsewhere.
    if (session) await fetch("/login", { method: "HEAD", redirect: "manual" }).catch(() => {})
  }
  // Not by reloading, which could send a form once more.
  if (isEnded()) location.replace(location.pathname + location.search)
})
