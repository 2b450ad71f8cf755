// Fills in where the device is, cut to about 1 km, and sends the form. Only when a member asks.
for (const button of document.querySelectorAll("[data-position]")) {
  const { form } = button
  button.hidden = !navigator.geolocation
  button.addEventListener("click", () => {
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => {
        form.elements.at.value = `${coords.latitude.toFixed(2)}, ${coords.longitude.toFixed(2)}`
        form.requestSubmit()
      },
      () => {
        button.textContent = button.dataset.position
      },
    )
  })
}
