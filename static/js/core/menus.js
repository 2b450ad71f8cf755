// Closes an open menu with Escape, which gives the focus back, and when the reader turns to something else.
// Opens menus that are pages of their own as popovers, in browsers that have these.
const openMenus = () => document.querySelectorAll(".menu[open], .message-menu[open]")

document.addEventListener("keydown", event => {
  if (event.key !== "Escape" || event.isComposing) return
  for (const menu of openMenus()) {
    menu.open = false
    menu.querySelector("summary").focus()
  }
})

for (const type of ["click", "focusin"]) {
  document.addEventListener(type, ({ target }) => {
    for (const menu of openMenus()) menu.open = menu.contains(target)
  })
}

document.addEventListener("click", event => {
  const opener = event.target.closest("[data-menu]")
  if (!opener?.showPopover || event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  const leave = () => location.assign(opener.href)
  import("./popover-menu.js").then(({ openMenu }) => openMenu(opener), leave)
})
