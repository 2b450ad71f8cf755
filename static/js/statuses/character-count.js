// Shows how long each text of a composer is, in the ring of its post. Loaded once there is a text.
import { UNSURE, weigh } from "./weigh.js"

const NUMBER_SHOWN_FROM = 20 // characters left
const timers = new WeakMap() // by field
let announceTimer

export function count(field) {
  const text = field.value
  const post = field.closest(".composer-more") ?? field.form
  post.querySelector(":scope > [role=alert]")?.remove() // why it was refused before
  show(field, weigh(text))
  clearTimeout(timers.get(field))
  if (UNSURE.test(text)) timers.set(field, setTimeout(fetchWeight, 250, field, text))
}

function show(field, weight) {
  const { form } = field
  const bar = (field.closest(".composer-more") ?? form).querySelector(".composer-bar")
  const { max } = form.dataset
  const left = max - weight
  const share = Math.min(weight / max, 1) * 100
  bar.querySelector("[data-ring]").setAttribute("stroke-dasharray", `${share} 100`)
  bar.querySelector("[data-number]").textContent = left <= NUMBER_SHOWN_FROM ? left : ""
  bar.classList.toggle("composer-over", left < 0)
  const isOver = Boolean(form.querySelector(".composer-over"))
  form.querySelector(".composer-send button").setAttribute("aria-disabled", isOver)
  clearTimeout(announceTimer)
  announceTimer = setTimeout(announce, 1_000, form, left)
}

function announce(form, left) {
  const sentence = form.dataset[left < 0 ? "over" : "left"].replace("#", Math.abs(left))
  form.querySelector("[data-spoken]").textContent = left <= NUMBER_SHOWN_FROM ? sentence : ""
}

async function fetchWeight(field, text) {
  const { form } = field
  const body = new URLSearchParams({ text })
  const headers = { "X-CSRFToken": form.elements.csrf_token.value }
  const options = { method: "POST", body, headers }
  const response = await fetch(form.dataset.weigh, options).catch(() => null)
  if (!response?.ok || response.redirected || text !== field.value) return
  show(field, (await response.json()).weight)
}
