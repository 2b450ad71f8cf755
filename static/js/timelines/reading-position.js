// Remembers the newest post of Home that was on the screen, so that any device can go on from there.
import { idOf } from "../core/posts.js"

let isSent = false

document.addEventListener("visibilitychange", () => {
  const isEnded = !document.cookie.includes(`linnet_viewer=${document.body.dataset.session}`)
  if (!document.hidden || isSent || isEnded) return
  const entries = [...document.querySelectorAll(".status[id]:not(.promoted+*),.boosted")]
  const read = entries.filter(entry => entry.getBoundingClientRect().top < innerHeight)
  const id = Math.max(...read.map(entry => entry.dataset.boost ?? idOf(entry)))
  if (id <= 0) return
  isSent = true
  const csrf_token = document.querySelector("[name=csrf_token]").value
  navigator.sendBeacon("/home/position", new URLSearchParams({ id, csrf_token }))
})
