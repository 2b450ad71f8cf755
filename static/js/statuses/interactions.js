// Likes, boosts and bookmarks without leaving the page. Whatever goes wrong, the form goes as it would without this.
const form = document.getElementById("acts")
const status = Object.assign(document.createElement("p"), { className: "visually-hidden" })

async function send(button) {
  const headers = { Accept: "application/json" }
  const answer = await fetch(button.formAction, { method: "POST", body: new FormData(form), headers })
  if (!answer.ok || answer.redirected) throw answer
  const { action, pressed, count, said, acted } = await answer.json()
  button.formAction = action
  button.setAttribute("aria-pressed", pressed)
  button.replaceChildren(button.firstChild, " " + count)
  status.textContent = said
  const link = button.closest(".status").querySelector(button.className.replace("act act-", ".acted-"))
  if (link) Object.assign(link, { innerHTML: acted, hidden: false })
}

if (form) {
  status.setAttribute("role", "status")
  document.body.prepend(status) // at the end it would make the page a pixel longer
  form.addEventListener("submit", event => {
    const button = event.submitter
    if (!button.matches(".act")) return
    event.preventDefault()
    if (button.ariaBusy) return
    button.ariaBusy = "true"
    const plain = () => ((form.action = button.formAction), form.submit())
    send(button).catch(plain).finally(() => (button.ariaBusy = null))
  })
}
