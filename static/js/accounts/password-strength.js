// Says how safe a new password is while it is chosen.
for (const shown of document.querySelectorAll("[data-strength]")) {
  const field = shown.closest(".field").querySelector("input")
  const [meter, words] = shown.children
  let timer
  const estimate = async () => {
    const { csrf_token, login, name } = field.form.elements
    const body = new URLSearchParams({ csrf_token: csrf_token.value, password: field.value })
    if (login) body.set("login", login.value)
    if (name) body.set("name", name.value)
    const asked = field.value
    const answer =
      asked && (await fetch(shown.dataset.strength, { method: "POST", body }).catch(() => {}))
    const { score, sentence } = answer?.ok ? await answer.json() : { score: 0, sentence: "" }
    if (asked !== field.value) return
    meter.hidden = !sentence
    meter.value = score
    words.textContent = sentence
  }
  field.addEventListener("input", () => {
    clearTimeout(timer)
    timer = setTimeout(estimate, 500)
  })
  field.form.addEventListener("submit", () => clearTimeout(timer)) // the token is another one then
}
