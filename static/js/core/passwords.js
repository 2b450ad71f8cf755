// Shows a typed password while its box is ticked.
for (const box of document.querySelectorAll("[data-reveal]")) {
  const field = box.closest(".field").querySelector("[type=password]")
  const show = () => {
    field.type = box.checked ? "text" : "password"
  }
  box.addEventListener("change", show)
  // Browsers remember the values of text fields.
  field.form.addEventListener("submit", () => {
    box.checked = false
    show()
  })
}
