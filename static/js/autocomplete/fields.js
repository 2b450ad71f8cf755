// Suggests members and hashtags in fields with `data-complete`, once they have an @ or a #.
document.addEventListener("input", async event => {
  const { dataset, value } = event.target
  if (!("complete" in dataset) || !/[@#＠＃]/.test(value)) return
  ;(await import("./suggestions.js")).onInput(event)
})
