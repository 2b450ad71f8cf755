// Suggests members and hashtags in fields with `data-complete`, once they have an @ or a #; in search boxes at once.
let isLoaded = false
async function onInput(event) {
  const { dataset, value } = event.target
  if (!("complete" in dataset) || !(isLoaded || dataset.complete || /[@#＠＃]/.test(value))) return
  // Asked for each time, so that one failed download does not end completion for the whole visit.
  const module = await import("./autocomplete.js")
  isLoaded = true
  module.onInput(event)
}
document.addEventListener("input", onInput)
// What was written before this module has run, but not the words that a search box had from the beginning.
const { activeElement: target } = document
if (!target.dataset.complete || target.value !== target.defaultValue) onInput({ target })
