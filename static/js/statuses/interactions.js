// Likes, boosts and bookmarks without leaving the page. If anything fails, the form is sent as usual.
const form = document.getElementById("acts")
const spoken = Object.assign(document.createElement("p"), { className: "visually-hidden" })

async function send(button) {
  const response = await fetch(button.formAction, {
    method: "POST",
    body: new FormData(form),
    headers: { Accept: "application/json" },
  })
  if (!response.ok || response.redirected) throw response
  update(button, await response.json())
}

function update(button, { action, pressed, count, said, acted }) {
  button.formAction = action
  button.setAttribute("aria-pressed", pressed)
  button.replaceChildren(button.firstChild, ` ${count}`)
  spoken.textContent = said
  const linkClass = button.className.replace("act act-", ".acted-")
  const link = button.closest(".status").querySelector(linkClass)
  if (link) Object.assign(link, { innerHTML: acted, hidden: false })
}

async function onSubmit(event) {
  const button = event.submitter
  if (!button.matches(".act")) return
  event.preventDefault()
  if (button.ariaBusy) return
  button.ariaBusy = "true"
  try {
    await send(button)
  } catch {
    form.action = button.formAction
    form.submit()
  }
  button.ariaBusy = null
}

if (form) {
  spoken.setAttribute("role", "status")
  document.body.prepend(spoken) // at the end it would make the page a pixel longer
  form.addEventListener("submit", onSubmit)
}
