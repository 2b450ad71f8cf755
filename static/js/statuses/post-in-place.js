// Posts without leaving the page: the post appears at the top of the list, and a line says so.
import { announce, isUnanswered, showLine, showUnsent } from "../core/announcements.js"
import { fetchPosts } from "../core/fetched-posts.js"
import { emit } from "../core/posts.js"

// Return true once it is posted, and nothing if the form should be sent as usual, to show an error page. A form
// that was refused or did not arrive stays as it is. It posts once, by its key.
export async function postInPlace(form, list) {
  const request = await send(form)
  const { errors, fields, ...posted } = request?.response ?? {}
  for (const reason of form.querySelectorAll(".composer-refusal, .field-error[role=alert]"))
    reason.remove()
  if (request?.status === 201) {
    form.elements.key.value = posted.key
    const post = posted.ids && (await show(list, posted))
    if (!post) location.assign(posted.url) // scheduled, or held for review
    startAgain(form)
    if (post) say(form, post, posted.url)
    return true
  }
  if (!errors && !isUnanswered(request)) return undefined
  if (errors) refuse(form, errors, fields)
  else showUnsent()
  return false
}

// Return the finished request, null if it got no response.
function send(form) {
  const request = new XMLHttpRequest() // fetch does not tell how much was sent
  const progress = form.querySelector("[data-progress]")
  progress.hidden = ![...form.querySelectorAll("[type=file]")].some(field => field.files.length)
  request.upload.onprogress = event => {
    progress.value = event.loaded / event.total
  }
  request.open("POST", form.action)
  request.setRequestHeader("Accept", "application/json")
  request.responseType = "json"
  return new Promise(resolve => {
    request.onload = () => resolve(request)
    request.onerror = () => resolve(null)
    request.onloadend = () => {
      progress.hidden = true
    }
    request.send(new FormData(form))
  })
}

async function refuse(form, errors, fields) {
  announce("")
  for (const [name, reason] of Object.entries(fields))
    (await import("./thread.js")).showReason(form, name, reason)
  if (errors.length) {
    const reasons = Object.assign(document.createElement("p"), { textContent: errors.join(" ") })
    reasons.className = "notice notice-error composer-refusal"
    reasons.role = "alert"
    form.querySelector(".composer-row").after(reasons)
  }
  form.querySelector("[role=alert]").scrollIntoView({ block: "center" })
}

// Return the post that is now on the page, nothing if it could not be loaded.
async function show(list, { ids }) {
  const posts = await fetchPosts(list.dataset.fragment, ids).catch(() => null)
  if (!posts?.length) return undefined
  const thread = document.querySelector(".thread")
  if (thread) addReply(thread, posts)
  else list.after(...posts)
  document.querySelector("main .empty")?.remove()
  emit("inserted", list.parentElement)
  return posts[0]
}

// A blank form is shorter: only now it is known whether the post is in sight.
function say(form, post, href) {
  const { top, bottom } = post.getBoundingClientRect()
  if (top < innerHeight && bottom > 0) announce(form.dataset.posted)
  else showLine(form.dataset.posted, { href, textContent: form.dataset.view })
}

function addReply(thread, posts) {
  const part = document.createElement("div")
  part.className = "thread-part thread-answers"
  part.append(...posts)
  thread.querySelector(".thread-head").after(part)
  thread.hidden = false
}

function startAgain(form) {
  if (!form.elements.reply) keepAudience(form)
  form.reset()
  for (const part of form.querySelectorAll("details")) part.open = false
  emit("blank", form)
}

// The next post begins with it, as it would after the page is loaded again.
function keepAudience(form) {
  for (const option of form.querySelectorAll(".composer-audience option"))
    option.defaultSelected = option.selected
}
