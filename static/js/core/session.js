// Hides a page that the browser may keep for going back, and shows it again if it is still this session's.
const { style } = document.documentElement
const { session = "" } = document.body.dataset

const isEnded = () => (document.cookie.split("linnet_viewer=")[1] ?? "").slice(0, 16) !== session

addEventListener("pagehide", ({ persisted }) => {
  if (persisted) style.visibility = "hidden"
})

addEventListener("pageshow", async ({ persisted }) => {
  if (!persisted) return
  if (!isEnded()) {
    style.visibility = ""
    // The answer removes the cookie of a session that has ended elsewhere.
    if (session) await fetch("/login", { method: "HEAD", redirect: "manual" }).catch(() => {})
  }
  // Not by reloading, which could send a form once more.
  if (isEnded()) location.replace(location.pathname + location.search)
})
