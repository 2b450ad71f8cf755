// Suggests members and hashtags in fields with `data-complete`, once they have an @ or a #; in search boxes at once.
let module
async function onInput(event) {
  const { dataset, value } = event.target
  const isWanted = module || dataset.complete || /[@#＠＃]/.test(value)
  if (!isWanted || !("complete" in dataset) || !event.target.showPopover) return
  // Nothing is awaited once it is there: the field would have another text by then. A download that failed is repeated.
  module ??= await import("./autocomplete.js")
  module.onInput(event)
}
document.addEventListener("input", onInput)
// What was written before this module has run, but not the words that a search box had from the beginning.
const { activeElement: target } = document
if (!target.dataset.complete || target.value !== target.defaultValue) onInput({ target })
