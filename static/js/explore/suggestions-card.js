// Fills the card of suggestions. Without an answer it stays a link to their page.
import { emit } from "../core/posts.js"

const card = document.querySelector("[data-suggestions]")
const response = await fetch(card.dataset.suggestions).catch(() => null)
if (response?.ok && !response.redirected) {
  const page = new DOMParser().parseFromString(await response.text(), "text/html")
  const filled = page.querySelector(".suggestions-card")
  card.replaceWith(filled)
  emit("inserted", filled)
}
