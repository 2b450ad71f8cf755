// Likes, boosts and bookmarks without leaving the page. If it is refused, the form is sent as usual.
import { announce, isUnanswered, showUnsent } from "../core/announcements.js"

const form = document.getElementById("interactions")

// The number beside an icon below a post; "" for none.
export function showCount(button, text) {
  const number = Object.assign(document.createElement("b"), { textContent: text })
  button.replaceChildren(button.firstElementChild, " ", number)
}

async function send(button) {
  const response = await fetch(button.formAction, {
    method: "POST",
    body: new FormData(form),
    headers: { Accept: "application/json" },
  })
  if (!response.ok || response.redirected) throw response
  update(button, await response.json())
}

function update(button, { action, pressed, count, announcement, members_link }) {
  button.formAction = action
  button.setAttribute("aria-pressed", pressed)
  announce(announcement)
  const linkClass = button.className.replace("action action-", ".interaction-")
  const link = button.closest(".status").querySelector(linkClass)
  if (link) Object.assign(link, { innerHTML: members_link, hidden: !count })
  else showCount(button, count)
}

async function onSubmit(event) {
  const button = event.submitter
  if (!button.matches(".action")) return
  event.preventDefault()
  if (button.ariaBusy) return
  button.ariaBusy = "true"
  try {
    await send(button)
  } catch (response) {
    if (isUnanswered(response)) showUnsent()
    else {
      form.action = button.formAction
      form.submit()
    }
  }
  button.ariaBusy = null
}

form?.addEventListener("submit", onSubmit)
