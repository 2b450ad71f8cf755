// Counts characters as webapp/core/text does, keeps a draft, and posts once on Ctrl or Cmd with Enter.
const EMOJI_MAX = 10 // code points of an emoji
const CONTINUES_EMOJI =
  /^[\u200d\u20e3\ufe0f\u{1f1e6}-\u{1f1ff}\u{1f3fb}-\u{1f3ff}\u{e0020}-\u{e007f}]$/u
const SINGLE_WEIGHT = /^[\0-\u10ff\u2000-\u200d\u2010-\u201f\u2032-\u2037]$/
const LINK = /https?:\/\/\S+/gi
const MAYBE_LINK = /:\/\/|[^\s.]\.[^\s.]/
const NUMBER_SHOWN_FROM = 20 // characters left

export function weigh(text) {
  const points = [...text.normalize("NFC").trim().replace(LINK, "x".repeat(23))]
  let weight = 0
  for (let at = 0; at < points.length; ) {
    const size = emojiSize(points, at)
    weight += size > 1 || !SINGLE_WEIGHT.test(points[at]) ? 2 : 1
    at += size
  }
  return weight
}

// Return how many code points from here are one emoji, at least 1.
function emojiSize(points, at) {
  if (!CONTINUES_EMOJI.test(points[at + 1] ?? "")) return 1
  for (let size = EMOJI_MAX; size > 1; size--) {
    if (at + size <= points.length && isEmoji(points.slice(at, at + size).join(""))) return size
  }
  return 1
}

// An emoji may lack variation selectors, but must not have extra ones.
function isEmoji(text) {
  const bare = text.replaceAll("\ufe0f", "")
  const whole = bare.replace(
    /[\p{Emoji}--\p{Emoji_Presentation}](?!\p{Emoji_Modifier})/gv,
    "$&\ufe0f",
  )
  return (
    /^\p{RGI_Emoji}$/v.test(whole) &&
    !/[\p{Emoji_Presentation}\p{Emoji_Modifier}\ufe0f]\ufe0f/v.test(text)
  )
}

const RESEND_AFTER = 5_000 // ms, in case a submission was stopped; the server posts once

function start(form) {
  const field = form.elements.text
  const [ring, number, spoken] = ["ring", "number", "spoken"].map(part =>
    form.querySelector(`[data-${part}]`),
  )
  const button = form.querySelector(".composer-send button")
  const draftKey = `draft:${form.dataset.member}:${location.pathname}`
  let weighTimer
  let announceTimer
  let isSent = false

  function showWeight(weight) {
    const left = form.dataset.max - weight
    const isOver = left < 0
    ring.setAttribute("stroke-dasharray", `${Math.min(weight / form.dataset.max, 1) * 100} 100`)
    number.textContent = left <= NUMBER_SHOWN_FROM ? left : ""
    form.classList.toggle("composer-over", isOver)
    button.setAttribute("aria-disabled", isOver)
    clearTimeout(announceTimer)
    announceTimer = setTimeout(announce, 1_000, left)
  }

  function announce(left) {
    const sentence = form.dataset[left < 0 ? "over" : "left"].replace("#", Math.abs(left))
    spoken.textContent = left <= NUMBER_SHOWN_FROM ? sentence : ""
  }

  // Only the server knows every domain.
  async function fetchWeight(text) {
    const body = new URLSearchParams({ text })
    const headers = { "X-CSRFToken": form.elements.csrf_token.value }
    const request = fetch(form.dataset.weigh, { method: "POST", body, headers })
    const response = await request.catch(() => null)
    if (!response?.ok || response.redirected || text !== field.value) return
    showWeight((await response.json()).weight)
  }

  function updateWeight() {
    const text = field.value
    showWeight(weigh(text))
    clearTimeout(weighTimer)
    if (MAYBE_LINK.test(text)) weighTimer = setTimeout(fetchWeight, 250, text)
  }

  function onSubmit(event) {
    if (isSent) return event.preventDefault()
    isSent = true
    sessionStorage.removeItem(draftKey)
    setTimeout(() => {
      isSent = false
    }, RESEND_AFTER)
  }

  field.value ||= sessionStorage.getItem(draftKey) ?? ""
  // A text that the server filled in is a draft too.
  if (field.value !== field.defaultValue) sessionStorage.setItem(draftKey, field.value)
  field.selectionStart = field.value.length // after the names in a reply
  updateWeight()
  field.addEventListener("input", () => {
    sessionStorage.setItem(draftKey, field.value)
    updateWeight()
  })
  field.addEventListener("keydown", event => {
    const isSend = event.key === "Enter" && (event.ctrlKey || event.metaKey)
    if (isSend && !event.isComposing) form.requestSubmit()
  })
  form.addEventListener("submit", onSubmit)
  addEventListener("pageshow", () => {
    isSent = false
    updateWeight()
  })
}

for (const form of document.querySelectorAll("[data-composer]")) start(form)
