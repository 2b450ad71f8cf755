// Finds people while a member types in the search field of a picker. Those who are ticked stay on top.
import { announce } from "./announcements.js"

const DELAY = 150 // ms after the last key

for (const picker of document.querySelectorAll("[data-picker]")) {
  const field = picker.querySelector("[type=search]")
  const list = picker.querySelector(".picker-list")
  let timer
  let requests = 0

  async function find() {
    clearTimeout(timer)
    const number = ++requests
    const address = new URL(picker.dataset.picker, location.href)
    address.searchParams.set("q", field.value)
    const response = await fetch(address).catch(() => null)
    const text = response?.ok && !response.redirected ? await response.text() : ""
    const found = new DOMParser().parseFromString(text, "text/html").querySelector(".picker-list")
    if (found && number === requests) show(found)
  }

  function show(found) {
    const chosen = [...list.children].filter(row => row.querySelector(":checked"))
    const names = new Set(chosen.map(row => row.querySelector("input").value))
    const others = [...found.children].filter(row => !names.has(row.querySelector("input")?.value))
    list.replaceChildren(...chosen, ...others)
    announce(found.dataset.count)
  }

  field.addEventListener("input", () => {
    clearTimeout(timer)
    timer = setTimeout(find, DELAY)
  })
  field.addEventListener("keydown", event => {
    if (event.key !== "Enter" || event.isComposing) return
    event.preventDefault()
    find()
  })
}
