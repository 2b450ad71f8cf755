// Loads the lightbox once it is needed.
document.addEventListener("click", async event => {
  const link = event.target.closest(".gallery-picture:not([data-play])")
  const hasModifier = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey
  if (!link || event.button || hasModifier) return
  event.preventDefault()
  try {
    const { open } = await import("./lightbox.js")
    open(link)
  } catch {
    location.assign(link.href)
  }
})
