// Reports the posts that were on the screen for a second, several at a time. Loads what plays animations.
import { emit, idOf } from "../core/posts.js"

const SEEN_AFTER = 1_000 // ms
const REPORT_EVERY = 4_000 // ms
const IDS_MAX = 50 // of one report

const timers = new Map() // the posts on the screen
const reported = new Set()
const waiting = new Set()

function onScreen(entries) {
  for (const { isIntersecting, target } of entries) {
    clearTimeout(timers.get(target))
    timers.delete(target)
    if (!isIntersecting || document.hidden) continue
    const note = () => {
      observer.unobserve(target)
      timers.delete(target)
      const id = idOf(target)
      if (!reported.has(id)) waiting.add(id)
      reported.add(id)
    }
    timers.set(target, setTimeout(note, SEEN_AFTER))
  }
}

function report() {
  while (waiting.size) {
    const ids = [...waiting].slice(0, IDS_MAX)
    for (const id of ids) waiting.delete(id)
    navigator.sendBeacon("/statuses/views", new URLSearchParams({ ids }))
    emit("seen", ids)
  }
}

const observer = new IntersectionObserver(onScreen, { threshold: 0.5 })

function observe() {
  for (const post of document.querySelectorAll(".status[id]")) {
    if (!reported.has(idOf(post))) observer.observe(post)
  }
  if (document.querySelector("[data-play]")) import("../core/animations.js")
  if (document.querySelector(".promoted")) import("../rewards/promoted.js")
}

observe()
document.addEventListener("linnet:inserted", observe)
document.addEventListener("visibilitychange", () => document.hidden && report())
setInterval(report, REPORT_EVERY)
