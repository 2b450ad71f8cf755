// Sends a form without leaving the page. `data-in-place` selects what the form changes, `data-source` is
// a page that shows it, if this one may not. If that is refused, the form is sent as usual.
import { announce, isUnanswered, showUnsent } from "./announcements.js"

document.addEventListener("submit", async event => {
  const form = event.target
  if (!form.dataset.inPlace || event.defaultPrevented) return
  event.preventDefault()
  if (form.ariaBusy) return
  form.ariaBusy = "true"
  const { send } = await import("./replace-parts.js").catch(() => ({}))
  try {
    const page = await send(form, event.submitter)
    const notices = page.querySelector(".notices")
    if (notices) announce(notices.textContent.trim())
  } catch (response) {
    if (!navigator.onLine || (send && isUnanswered(response))) return showUnsent()
    delete form.dataset.inPlace
    form.requestSubmit(event.submitter) // with the value of its button
  } finally {
    form.ariaBusy = null // a page that comes back may send it again
  }
})

// What is written in some forms is kept, and given back wherever this tab has kept something.
const keepText = () => import("./kept-text.js").catch(() => {}) // the site may be down
if (sessionStorage.length) keepText()
for (const type of ["focusin", "input"])
  document.addEventListener(type, ({ target }) => target.form?.dataset.kept && keepText())
