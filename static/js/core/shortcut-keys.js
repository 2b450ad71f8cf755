// Loads the keyboard shortcuts with the first key that may be one.
let loading

document.addEventListener("keydown", async event => {
  const { key, target, altKey, ctrlKey, metaKey } = event
  if ((key[1] && key !== "Enter") || altKey || ctrlKey || metaKey) return
  // A field of a dialog that has just closed keeps the focus for a moment.
  if (target.matches("input, textarea, select") && target.checkVisibility()) return
  // One promise for all keys, which keeps their order; another one where the download failed.
  loading ??= import("./shortcuts.js").catch(() => {
    loading = undefined
  })
  ;(await loading)?.press(event)
})
