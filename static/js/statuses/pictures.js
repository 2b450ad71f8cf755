// Brings what pictures need, once one is to be looked at or chosen.
document.addEventListener("click", event => {
  const link = event.target.closest(".shot")
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
  event.preventDefault()
  import("./lightbox.js").then(({ open }) => open(link)).catch(() => location.assign(link.href))
})

const part = document.querySelector("[data-attach]")
if (part) {
  const begin = () => import("./attachments.js")
  part.open ? begin() : part.addEventListener("toggle", begin, { once: true })
}
