// Shows what a stream sends.
const output = document.querySelector("[data-tap]")
if (output) {
  const source = new EventSource(output.dataset.tap, { withCredentials: true })
  source.addEventListener("update", ({ data }) => {
    const { text, user } = JSON.parse(data)
    output.textContent = `@${user.screen_name}: ${text}\n${output.textContent.slice(0, 2_000)}`
  })
}
