// Loads the keyboard shortcuts with the first key that may be one.
let loading

document.addEventListener("keydown", async event => {
  const { key, target, altKey, ctrlKey, metaKey } = event
  if (key.length > 1 || altKey || ctrlKey || metaKey) return
  if (target.matches("input, textarea, select")) return
  loading ??= import("./shortcuts.js") // one promise for all keys, which keeps their order
  ;(await loading).press(event)
})
