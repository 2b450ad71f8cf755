// Shows other counts of a post on an open page. What the reader did with it stays as it is.
import { renew } from "../core/fetched-posts.js"
import { onPage } from "../core/posts.js"
import { showCount } from "./interactions.js"

const KINDS = { replies: "reply", boosts: "boost", quotes: "quote", likes: "like" }
const SPREAD = 3_000 // ms: readers do not all ask in the same moment
const format = new Intl.NumberFormat(document.documentElement.lang, {
  notation: "compact",
  maximumFractionDigits: 1,
})

export function showCounts(counts) {
  const post = onPage(counts.id)
  if (!post) return
  const isLarge = post.matches(".status-large")
  let hasOtherWords = false
  for (const [name, kind] of Object.entries(KINDS)) {
    const text = counts[name] > 0 ? format.format(counts[name]) : ""
    const button = post.querySelector(`.action-${kind}`)
    if (button && (!isLarge || kind === "reply")) showCount(button, text)
    if (!isLarge || kind === "reply") continue
    const number = post.querySelector(`.interaction-${kind} b`)
    const old = number?.textContent ?? ""
    if (number) number.textContent = text
    hasOtherWords ||= old !== text && [old, text].some(one => !one || one === "1")
  }
  if (hasOtherWords) askForWords(counts.id)
}

// The server knows the words beside a number: the plural, or none.
function askForWords(id) {
  const { fragment } = document.querySelector("[data-live]").dataset
  setTimeout(renew, Math.random() * SPREAD, fragment, id)
}
