// Loads the searches that this device keeps, once their box has the focus. They go at sign-out.
async function onFocus({ target }) {
  if (target.matches("[data-recent] input")) (await import("./recent.js")).show(target)
}
document.addEventListener("focusin", onFocus)
onFocus({ target: document.activeElement }) // the box may have it before this module has run
document.addEventListener("submit", ({ target }) => {
  if (target.matches("[action$=logout]")) delete localStorage.searches
})
