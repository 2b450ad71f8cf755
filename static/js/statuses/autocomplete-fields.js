// Suggests members and hashtags in fields with `data-complete`, once they have an @ or a #; in search boxes at once.
let loading
async function onInput(event) {
  const { dataset, value } = event.target
  if (!("complete" in dataset) || !(loading || dataset.complete || /[@#＠＃]/.test(value))) return
  loading ??= import("./autocomplete.js")
  ;(await loading).onInput(event)
}
document.addEventListener("input", onInput)
// What was written before this module has run. A search box may have its words since the page was made.
const focused = document.activeElement
if (!focused.dataset.complete) onInput({ target: focused })
