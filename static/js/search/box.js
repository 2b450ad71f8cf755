// Keeps searches as they are sent, and shows them once their box has the focus. They go at sign-out.
import { forget, keep } from "./kept.js"

async function onFocus({ target }) {
  if (target.matches("[data-recent] input")) (await import("./recent.js")).show(target)
}
document.addEventListener("focusin", onFocus)
onFocus({ target: document.activeElement }) // the box may have it before this module has run
document.addEventListener("submit", ({ target }) => {
  if (target.matches("[data-recent]")) keep(target.elements.q.value)
  else if (target.matches("[action$=logout]")) forget()
})
