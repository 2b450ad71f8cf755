// Says that a chosen picture is too big before it is sent.
export function checkSize(input) {
  const isTooBig = [...input.files].some(file => file.size > input.dataset.maxBytes)
  input.setCustomValidity(isTooBig ? input.dataset.tooBig : "")
  if (isTooBig) input.reportValidity()
}

document.addEventListener("change", event => {
  if (event.target.matches("[data-max-bytes]")) checkSize(event.target)
})
// Browsers do not send a form with an invalid input, but cannot show one that is folded up.
document.addEventListener(
  "invalid",
  event => {
    const part = event.target.matches("[data-max-bytes]") && event.target.closest("details")
    if (part) part.open = true
  },
  true,
)
