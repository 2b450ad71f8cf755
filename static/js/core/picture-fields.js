// Loads the preview of a picture once one is chosen.
document.addEventListener("change", async ({ target }) => {
  if (target.matches(".picture [type=file]")) (await import("./picture-preview.js")).preview(target)
})
