// Makes or uses a passkey: asks the site what to sign, lets the device sign it, and sends the form.
const button = document.querySelector("[data-passkey]")
const note = document.querySelector(".passkey-note")
const parsers = { create: "parseCreationOptionsFromJSON", get: "parseRequestOptionsFromJSON" }

async function sign({ form, dataset: { passkey, options } }) {
  const body = new URLSearchParams({ csrf_token: form.elements.csrf_token.value })
  const headers = { Accept: "application/json" }
  const response = await fetch(options, { method: "POST", body, headers })
  // Such as a password that was entered too long ago: the page says so itself.
  if (response.status === 403) return location.reload()
  const publicKey = PublicKeyCredential[parsers[passkey]](await response.json())
  const credential = await navigator.credentials[passkey]({ publicKey })
  form.querySelector("[name=passkey]").value = JSON.stringify(credential)
  form.requestSubmit(button)
}

if (button && window.PublicKeyCredential?.[parsers.get]) {
  button.hidden = note.hidden = false
  note.textContent = ""
  button.addEventListener("click", async event => {
    event.preventDefault()
    button.disabled = true
    note.textContent = ""
    await sign(button).catch(() => {
      note.textContent = button.dataset.failed
    })
    button.disabled = false
  })
}
