// Shows how long a text is, and posts once on Ctrl or Cmd with Enter.

const NUMBER_SHOWN_FROM = 20 // characters left

// Say on the closed menu what its fields say: who sees the post, and limits to replies and quotes.
function showAudience(menu) {
  const [visibility, ...limits] = menu.querySelectorAll("select")
  const chosen = limits.filter(field => field.selectedIndex > 0)
  const texts = chosen.map(field =>
    menu.dataset.limit
      .replace("{label}", field.labels[0].textContent)
      .replace("{value}", field.selectedOptions[0].text),
  )
  const label = menu.querySelector("[data-audience]")
  label.textContent = [visibility.selectedOptions[0].text, ...texts].join(" · ")
}

// Parts of the form load their scripts when they are opened first.
const PART_SCRIPTS = {
  attach: () => import("./attachments.js"),
  place: () => import("./place.js"),
  emoji: () => import("./emoji.js"),
  schedule: () => import("./schedule.js"),
}

function loadParts(form) {
  for (const [name, load] of Object.entries(PART_SCRIPTS)) {
    const part = form.querySelector(`[data-${name}]`)
    if (part?.open) load()
    else part?.addEventListener("toggle", load)
  }
}

const RESEND_AFTER = 5_000 // ms, in case a submission was stopped; the server posts once

function start(form) {
  const field = form.elements.text
  const [ring, number, spoken] = ["ring", "number", "spoken"].map(part =>
    form.querySelector(`[data-${part}]`),
  )
  const button = form.querySelector(".composer-send button")
  const audience = form.querySelector(".composer-audience")
  const list = document.querySelector("[data-live]") // above the posts of a page that can show a new one
  let weighTimer
  let announceTimer
  let isSent = false

  function showWeight(weight) {
    const left = form.dataset.max - weight
    ring.setAttribute("stroke-dasharray", `${Math.min(weight / form.dataset.max, 1) * 100} 100`)
    number.textContent = left <= NUMBER_SHOWN_FROM ? left : ""
    form.classList.toggle("composer-over", left < 0)
    button.setAttribute("aria-disabled", left < 0)
    clearTimeout(announceTimer)
    announceTimer = setTimeout(announce, 1_000, left)
  }

  function announce(left) {
    const sentence = form.dataset[left < 0 ? "over" : "left"].replace("#", Math.abs(left))
    spoken.textContent = left <= NUMBER_SHOWN_FROM ? sentence : ""
  }

  async function fetchWeight(text) {
    const body = new URLSearchParams({ text })
    const headers = { "X-CSRFToken": form.elements.csrf_token.value }
    const options = { method: "POST", body, headers }
    const response = await fetch(form.dataset.weigh, options).catch(() => null)
    if (!response?.ok || response.redirected || text !== field.value) return
    showWeight((await response.json()).weight)
  }

  async function updateWeight() {
    const text = field.value
    const { weigh, UNSURE } = await import("./weigh.js")
    if (text !== field.value) return
    showWeight(weigh(text))
    clearTimeout(weighTimer)
    if (UNSURE.test(text)) weighTimer = setTimeout(fetchWeight, 250, text)
  }

  async function onSubmit(event) {
    if (isSent) return event.preventDefault()
    isSent = true
    if (list && !event.submitter?.hasAttribute("formaction")) {
      event.preventDefault()
      await postHere()
    } else {
      await new Promise(resolve => setTimeout(resolve, RESEND_AFTER))
    }
    isSent = false
  }

  // Text written meanwhile would be lost, so the form is locked.
  async function postHere() {
    const module = await import("./post-in-place.js").catch(() => null)
    const sent = module?.postInPlace(form, list)
    const active = document.activeElement
    form.inert = true
    const isPosted = await sent?.finally(() => {
      form.inert = false
      if (document.activeElement === document.body)
        (active.isConnected ? active : field).focus({ preventScroll: true })
    })
    if (isPosted === false) return
    if (!isPosted) return form.submit()
    if (audience) showAudience(audience)
    updateWeight()
  }

  // Pictures that are chosen, dropped or pasted.
  function onFiles(event) {
    const attach = form.querySelector("[data-attach]")
    const transfer = event.clipboardData ?? event.dataTransfer ?? event.target
    if (!attach || !(transfer.multiple || transfer.types?.includes("Files"))) return
    // Text from other programs comes with a picture of itself.
    if (event.clipboardData?.types.includes("text/plain")) return
    event.preventDefault()
    const files = [...transfer.files]
    if (!files.length) return
    attach.open = true
    PART_SCRIPTS.attach().then(({ add }) => add(files))
  }

  field.selectionStart = field.value.length // after the names in a reply
  if (field.value) updateWeight()
  loadParts(form)
  field.addEventListener("input", updateWeight)
  form.addEventListener("keydown", event => {
    const isSend = event.key === "Enter" && (event.ctrlKey || event.metaKey)
    if (isSend && !event.isComposing && event.target.matches(".composer-input"))
      form.requestSubmit()
  })
  // On phones an open composer stays open: closing it would move the button under the finger.
  form.addEventListener("focusin", () => form.classList.add("composer-open"))
  form.addEventListener("submit", onSubmit)
  form.elements.another?.addEventListener("click", async event => {
    event.preventDefault()
    const module = await import("./thread.js").catch(() => null)
    if (module) module.addPost(form).focus()
    else form.requestSubmit(event.target)
  })
  for (const type of ["change", "dragover", "drop", "paste"]) form.addEventListener(type, onFiles)
  audience?.addEventListener("change", () => showAudience(audience))
  addEventListener("pageshow", () => {
    isSent = false
    if (field.value) updateWeight()
  })
}

for (const form of document.querySelectorAll("[data-composer]")) start(form)
