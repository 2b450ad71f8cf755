// Shows what a stream sends.
const tap = document.querySelector("[data-tap]")
if (tap)
  new EventSource(tap.dataset.tap, { withCredentials: true }).addEventListener("update", ({ data }) => {
    const { text, user } = JSON.parse(data)
    tap.textContent = `@${user.screen_name}: ${text}\n${tap.textContent.slice(0, 2e3)}`
  })
