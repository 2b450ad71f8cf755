// Loads the searches that this device keeps, once their box has the focus. They go at sign-out.
document.addEventListener("focusin", async ({ target }) => {
  if (target.matches("[data-recent] input")) (await import("./recent.js")).show(target)
})
document.addEventListener("submit", ({ target }) => {
  if (target.matches("[action$=logout]")) delete localStorage.searches
})
