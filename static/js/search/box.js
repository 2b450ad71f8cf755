// Loads the searches that this device keeps, once a search box has the focus. They go at sign-out.
let loading
const load = () => (loading ??= import("./recent.js"))

document.addEventListener("focusin", async ({ target }) => {
  if (target.matches(".search-box")) (await load()).show(target)
})
document.addEventListener("submit", ({ target }) => {
  if (!target.matches("[action$='/logout']")) return
  try {
    localStorage.removeItem("linnet-searches")
  } catch {} // the browser keeps nothing
})
if (document.querySelector("[data-recent-searches]")) load()
