// Loads what a post is written with, and posts on Ctrl or Cmd with Enter.
import { isUnanswered, showUnsent } from "../core/announcements.js"

// Say on the closed menu what its fields say: who sees the post, and limits to replies and quotes.
function showAudience(menu) {
  const [visibility, ...limits] = menu.querySelectorAll("select")
  const texts = limits
    .filter(field => field.selectedIndex > 0)
    .map(field =>
      menu.dataset.limit
        .replace("{label}", field.labels[0].textContent)
        .replace("{value}", field.selectedOptions[0].text),
    )
  menu.querySelector("[data-audience]").textContent = [
    visibility.selectedOptions[0].text,
    ...texts,
  ].join(" · ")
}

// Parts of the form load their scripts when they are opened first.
const PART_SCRIPTS = {
  attach: () => import("./attachments.js"),
  place: () => import("./place.js"),
  emoji: () => import("./emoji.js"),
  schedule: () => import("./schedule.js"),
  poll: () => import("./poll-answers.js"),
}
const loaded = new WeakSet()

async function loadPart(part) {
  const name = Object.keys(part.dataset).find(key => key in PART_SCRIPTS)
  if (!name || loaded.has(part)) return
  loaded.add(part)
  // A button that was pressed before its script came is pressed again.
  let pressed
  const note = ({ target }) => {
    pressed = target.closest("[type=button]") ?? pressed
  }
  part.addEventListener("click", note)
  const module = await PART_SCRIPTS[name]().catch(() => null)
  part.removeEventListener("click", note)
  if (!module) return loaded.delete(part) // the next opening tries again
  module.start(part)
  pressed?.click()
}

// A pressed part goes on in its first line: the warning, the place, the first answer.
function onToggle(part) {
  loadPart(part)
  if (part.open && part.contains(document.activeElement)) part.querySelector("[type=text]")?.focus()
}

function start(form) {
  const field = form.elements.text
  const audience = form.querySelector(".composer-audience")
  const list = document.querySelector("[data-live]") // above the posts of a page that can show a new one

  async function count(field) {
    ;(await import("./character-count.js")).count(field)
  }

  const countAll = () =>
    form.querySelectorAll(".composer-input:not(:placeholder-shown)").forEach(count)

  async function onSubmit(event) {
    if (!list || event.submitter?.hasAttribute("formaction")) return
    event.preventDefault()
    if (form.inert) return // it is on its way
    const isPosted = await postHere()
    if (isPosted === false) return
    if (!isPosted) return form.submit()
    if (audience) showAudience(audience)
    count(field)
  }

  // Text written meanwhile would be lost, so the form is locked.
  async function postHere() {
    const active = document.activeElement
    form.inert = true
    try {
      const module = await import("./post-in-place.js").catch(() => null)
      return await module?.postInPlace(form, list)
    } finally {
      form.inert = false
      if (document.activeElement === document.body)
        (active.isConnected ? active : field).focus({ preventScroll: true })
    }
  }

  async function addPost(button) {
    try {
      const thread = await import("./thread.js")
      ;(await thread.addPost(form)).focus()
    } catch (response) {
      if (isUnanswered(response)) showUnsent()
      else form.requestSubmit(button)
    }
  }

  async function onClick(event) {
    const remover = event.target.closest(".composer-remove")
    if (remover) (await import("./thread.js")).removePost(remover.closest(".composer-more"))
    const adder = event.target.closest("[name=another]")
    if (!adder) return
    event.preventDefault()
    addPost(adder)
  }

  // Pictures that are chosen, dropped or pasted.
  function onFiles(event) {
    const attach = (event.target.closest(".composer-more") ?? form).querySelector("[data-attach]")
    const transfer = event.clipboardData ?? event.dataTransfer ?? event.target
    if (!attach || !(transfer.multiple || transfer.types?.includes("Files"))) return
    // Text from other programs comes with a picture of itself.
    if (event.clipboardData?.types.includes("text/plain")) return
    event.preventDefault()
    const files = [...transfer.files]
    if (!files.length) return
    attach.open = true
    PART_SCRIPTS.attach().then(({ add }) => add(attach, files))
  }

  field.selectionStart = field.value.length // after the names in a reply
  countAll()
  form.querySelectorAll("details[open]").forEach(loadPart)
  form.addEventListener("toggle", event => onToggle(event.target), true)
  form.addEventListener("input", ({ target }) => {
    if (target.matches(".composer-input")) count(target)
    if (form.dataset.autosave) import("./autosave.js").then(({ start }) => start(form))
  })
  form.addEventListener("keydown", event => {
    const isSend = event.key === "Enter" && (event.ctrlKey || event.metaKey)
    if (isSend && !event.isComposing && event.target.matches(".composer-input"))
      form.requestSubmit()
  })
  // On phones an open composer stays open: closing it would move the button under the finger.
  form.addEventListener("focusin", () => form.classList.add("composer-open"))
  form.addEventListener("submit", onSubmit)
  form.addEventListener("click", onClick)
  for (const type of ["change", "dragover", "drop", "paste"]) form.addEventListener(type, onFiles)
  audience?.addEventListener("change", () => showAudience(audience))
  addEventListener("pageshow", countAll)
  // Written before this module has run.
  if (field.value !== field.defaultValue) form.dispatchEvent(new Event("input"))
}

for (const form of document.querySelectorAll("[data-composer]")) start(form)
