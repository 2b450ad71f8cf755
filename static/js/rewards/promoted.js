// Reports the promoted posts that were on the screen, and takes those off the page that their reader hides.
// If that is refused, the form is sent as usual.
import { isUnanswered, showUnsent } from "../core/announcements.js"
import { postIn } from "../core/fetched-posts.js"
import { boostLine, idOf, onPage } from "../core/posts.js"
import { replaceWithNote } from "../core/removed-post.js"

document.addEventListener("linnet:seen", ({ detail }) => {
  const promoted = detail.filter(id => onPage(id) && boostLine(onPage(id))?.dataset.showing)
  if (!promoted.length) return
  const showings = promoted.map(id => boostLine(onPage(id)).dataset.showing)
  navigator.sendBeacon("/statuses/views", new URLSearchParams({ ids: promoted, showings }))
})

document.addEventListener("submit", async event => {
  const { submitter, target } = event
  if (!submitter?.matches(".promoted-hide")) return
  event.preventDefault()
  const response = await fetch(submitter.formAction, {
    method: "POST",
    body: new FormData(target),
  }).catch(() => null)
  if (isUnanswered(response)) return showUnsent()
  if (!response.ok) {
    target.action = submitter.formAction
    return target.submit()
  }
  const post = postIn(submitter.closest(".promoted"))
  post.focus({ preventScroll: true })
  replaceWithNote(idOf(post), submitter.dataset.done)
})
