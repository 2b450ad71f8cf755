// Loads what crops a picture once one is chosen.
document.addEventListener("change", async ({ target }) => {
  if (target.matches(".picture [type=file]")) (await import("./picture-crop.js")).showCrop(target)
})
