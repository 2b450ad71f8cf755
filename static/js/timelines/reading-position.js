// Remembers the newest post of Home that was on the screen, so that any device can go on from there.
import { idOf } from "../core/posts.js"

let sent = 0 // the newest post that the server knows of

document.addEventListener("visibilitychange", () => {
  const isEnded = !document.cookie.includes(`linnet_viewer=${document.body.dataset.session}`)
  if (!document.hidden || isEnded) return
  const entries = [...document.querySelectorAll(".status[id]:not(.promoted+*),.boosted")]
  const read = entries.filter(entry => entry.getBoundingClientRect().top < innerHeight)
  const id = Math.max(...read.map(entry => entry.dataset.boost ?? idOf(entry)))
  if (id <= sent) return
  sent = id
  const csrf_token = document.querySelector("[name=csrf_token]").value
  navigator.sendBeacon("/home/position", new URLSearchParams({ id, csrf_token }))
})
