// Suggests members and hashtags in fields with `data-complete`, once they have an @ or a #.
let loading
document.addEventListener("input", async event => {
  const { dataset, value } = event.target
  if (!("complete" in dataset) || !(loading || /[@#＠＃]/.test(value))) return
  loading ??= import("./autocomplete.js")
  ;(await loading).onInput(event)
})
