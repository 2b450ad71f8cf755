// Shows a typed password while its box is ticked. Sends its form once, however often that is pressed: a
// second sign-up would find the username taken.
const RESEND_AFTER = 5_000 // ms, in case it was stopped

for (const box of document.querySelectorAll("[data-reveal]")) {
  const field = box.closest(".field").querySelector("[type=password]")
  const show = () => {
    field.type = box.checked ? "text" : "password"
  }
  box.addEventListener("change", show)
  let sentAt = -RESEND_AFTER
  field.form.addEventListener("submit", event => {
    if (event.timeStamp - sentAt < RESEND_AFTER) return event.preventDefault()
    sentAt = event.timeStamp
    box.checked = false // browsers remember the values of text fields
    show()
  })
}
