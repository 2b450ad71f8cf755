// Counts as webapp/text.py does, keeps a draft, posts on Ctrl or Cmd with Enter, once.
const LONGEST = 10 // code points of an emoji
const SECOND = /^[\u200d\u20e3\ufe0f\u{1f1e6}-\u{1f1ff}\u{1f3fb}-\u{1f3ff}\u{e0020}-\u{e007f}]$/u
const LIGHT = /^[\0-\u10ff\u2000-\u200d\u2010-\u201f\u2032-\u2037]$/
const LINK = /https?:\/\/\S+/gi
const MAYBE_LINK = /:\/\/|[^\s.]\.[^\s.]/
const NEAR = 20 // characters left when the number appears

export function weigh(text) {
  const points = [...text.normalize("NFC").trim().replace(LINK, "x".repeat(23))]
  let weight = 0
  for (let at = 0; at < points.length; ) {
    const size = emojiSize(points, at)
    weight += size > 1 || !LIGHT.test(points[at]) ? 2 : 1
    at += size
  }
  return weight
}

// How many code points from here are one emoji, at least 1.
function emojiSize(points, at) {
  if (!SECOND.test(points[at + 1] ?? "")) return 1
  for (let size = LONGEST; size > 1; size--) {
    if (at + size <= points.length && isEmoji(points.slice(at, at + size).join(""))) return size
  }
  return 1
}

// Variation selectors may be left out, but none be added.
function isEmoji(text) {
  const bare = text.replaceAll("\ufe0f", "")
  const whole = bare.replace(/[\p{Emoji}--\p{Emoji_Presentation}](?!\p{Emoji_Modifier})/gv, "$&\ufe0f")
  return /^\p{RGI_Emoji}$/v.test(whole) && !/[\p{Emoji_Presentation}\p{Emoji_Modifier}\ufe0f]\ufe0f/v.test(text)
}

function start(form) {
  const field = form.elements.text
  const [ring, number, spoken] = ["ring", "number", "spoken"].map(part => form.querySelector(`[data-${part}]`))
  const button = form.querySelector(".composer-send button")
  const draft = `draft:${form.dataset.member}:${location.pathname}`
  let asking, speaking, sent = false

  function show(weight) {
    const left = form.dataset.max - weight
    const over = left < 0
    ring.setAttribute("stroke-dasharray", `${Math.min(weight / form.dataset.max, 1) * 100} 100`)
    number.textContent = left <= NEAR ? left : ""
    form.classList.toggle("composer-over", over)
    button.setAttribute("aria-disabled", over)
    clearTimeout(speaking)
    speaking = setTimeout(() => {
      spoken.textContent = left <= NEAR ? form.dataset[over ? "over" : "left"].replace("#", Math.abs(left)) : ""
    }, 1000)
  }

  // Only the server knows every domain.
  async function ask(text) {
    const body = new URLSearchParams({ text })
    const headers = { "X-CSRFToken": form.elements.csrf_token.value }
    const answer = await fetch(form.dataset.weigh, { method: "POST", body, headers }).catch(() => null)
    if (!answer?.ok || answer.redirected || text !== field.value) return
    show((await answer.json()).weight)
  }

  function count() {
    const text = field.value
    show(weigh(text))
    clearTimeout(asking)
    if (MAYBE_LINK.test(text)) asking = setTimeout(ask, 250, text)
  }

  field.value ||= sessionStorage.getItem(draft) ?? ""
  if (field.value !== field.defaultValue) sessionStorage.setItem(draft, field.value) // also what was written before
  field.selectionStart = field.value.length // behind the names in a reply
  count()
  field.addEventListener("input", () => {
    sessionStorage.setItem(draft, field.value)
    count()
  })
  field.addEventListener("keydown", event => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.isComposing) form.requestSubmit()
  })
  form.addEventListener("submit", event => {
    if (sent) return event.preventDefault()
    sent = true
    sessionStorage.removeItem(draft)
    setTimeout(() => (sent = false), 5000) // should it be stopped; the server posts once
  })
  addEventListener("pageshow", () => {
    sent = false
    count()
  })
}

document.querySelectorAll("[data-composer]").forEach(start)
