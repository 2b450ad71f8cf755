// Suggests members and hashtags in fields with `data-complete`, once they have an @ or a #; in search boxes at once.
let loading
async function onInput(event) {
  const { dataset, value } = event.target
  if (!("complete" in dataset) || !(loading || dataset.complete || /[@#＠＃]/.test(value))) return
  loading ??= import("./autocomplete.js")
  ;(await loading).onInput(event)
}
document.addEventListener("input", onInput)
// What was written before this module has run, but not the words that a search box had from the beginning.
const { activeElement: target } = document
if (!target.dataset.complete || target.value !== target.defaultValue) onInput({ target })
