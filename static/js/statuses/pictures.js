// Loads the lightbox and the picture chooser once they are needed.
document.addEventListener("click", async event => {
  const link = event.target.closest(".shot")
  const opensElsewhere = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey
  if (!link || event.button || opensElsewhere) return
  event.preventDefault()
  try {
    const { open } = await import("./lightbox.js")
    open(link)
  } catch {
    location.assign(link.href)
  }
})

const part = document.querySelector("[data-attach]")
if (part) {
  const load = () => import("./attachments.js")
  if (part.open) load()
  else part.addEventListener("toggle", load, { once: true })
}
