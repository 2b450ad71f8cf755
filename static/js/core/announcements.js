// Announces events: to screen readers alone, or also in a line at the lower edge.
const LINE_SHOWN = 8_000 // ms
const line = document.createElement("p")
line.setAttribute("role", "status")
document.body.prepend(line) // at the end it would make the page a pixel longer
let timer

export function announce(text) {
  line.className = "visually-hidden"
  clearTimeout(timer)
  line.replaceChildren(text)
}

export function showLine(text, link) {
  announce(text)
  line.className = "toast"
  if (link) line.append(" · ", Object.assign(document.createElement("a"), link))
  timer = setTimeout(hideLine, LINE_SHOWN)
}

// What a member did got no answer: the request failed, or the site is being restarted.
export const isUnanswered = response => !(response?.status < 500)
export const showUnsent = () => showLine(document.getElementById("interactions").dataset.unsent)

function hideLine() {
  if (line.matches(":hover, :focus-within")) timer = setTimeout(hideLine, LINE_SHOWN)
  else line.replaceChildren()
}

announce("")
