// Shows what a stream sends, on the page about streams.
const output = document.querySelector("[data-output]")
if (output) {
  const source = new EventSource(output.dataset.output, { withCredentials: true })
  source.addEventListener("update", ({ data }) => {
    const { text, user } = JSON.parse(data)
    output.textContent = `@${user.screen_name}: ${text}\n${output.textContent.slice(0, 2_000)}`
  })
}
