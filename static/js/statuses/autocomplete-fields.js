// Suggests members and hashtags in fields with `data-complete`, once they have an @ or a #; in search boxes at once.
let loading
document.addEventListener("input", async event => {
  const { dataset, value } = event.target
  if (!("complete" in dataset) || !(loading || dataset.complete || /[@#＠＃]/.test(value))) return
  loading ??= import("./autocomplete.js")
  ;(await loading).onInput(event)
})
