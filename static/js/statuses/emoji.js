// Emoji to choose from, in a grid with rows of eight: arrows, Home and End move, Enter inserts at the caret.
const COLUMNS = 8
const part = document.querySelector("[data-emoji]")
const form = part.closest("form")
const body = part.querySelector(".menu-body")
let field = form.querySelector(".composer-input")
const rows = [] // of buttons

function element(tag, properties, ...children) {
  const created = Object.assign(document.createElement(tag), properties)
  created.append(...children)
  return created
}

function insert(emoji) {
  if (!field.isConnected) field = form.querySelector(".composer-input") // its post is out
  field.setRangeText(emoji, field.selectionStart, field.selectionEnd, "end")
  field.dispatchEvent(new Event("input", { bubbles: true }))
  part.open = false
  field.focus()
}

function emojiButton(line) {
  const [emoji, ...words] = line.trim().split(" ")
  const label = words.join(" ")
  const button = element("button", { type: "button", tabIndex: -1, ariaLabel: label, title: label })
  button.textContent = emoji
  button.addEventListener("click", () => insert(emoji))
  return button
}

function group([name, lines]) {
  const grid = element("div", { role: "group", ariaLabel: name, className: "emoji-grid" })
  const buttons = lines.trim().split("\n").map(emojiButton)
  for (let at = 0; at < buttons.length; at += COLUMNS) rows.push(buttons.slice(at, at + COLUMNS))
  grid.append(...buttons)
  return [element("p", { ariaHidden: "true", textContent: name }), grid]
}

function target(row, column, key) {
  const all = rows.flat()
  const index = all.indexOf(rows[row][column])
  return {
    ArrowLeft: () => all[index - 1],
    ArrowRight: () => all[index + 1],
    ArrowUp: () => rows[row - 1]?.[column],
    ArrowDown: () => rows[row + 1]?.[column],
    Home: () => all[0],
    End: () => all.at(-1),
  }[key]?.()
}

body.addEventListener("keydown", event => {
  const row = rows.findIndex(buttons => buttons.includes(event.target))
  if (row < 0) return
  const next = target(row, rows[row].indexOf(event.target), event.key)
  if (!next) return
  event.preventDefault()
  next.focus()
})
// One button of the grid is a stop of the Tab key: the last one that was used.
body.addEventListener("focusin", ({ target }) => {
  for (const button of rows.flat()) button.tabIndex = button === target ? 0 : -1
})
form.addEventListener("focusin", ({ target }) => {
  if (target.matches(".composer-input")) field = target
})
part.addEventListener("toggle", () => {
  if (part.open) body.querySelector("[tabindex='0']").focus()
})

const isChinese = document.documentElement.lang.startsWith("zh")
const { default: groups } = await (isChinese ? import("./emoji-zh.js") : import("./emoji-en.js"))
body.replaceChildren(...Object.entries(groups).flatMap(group))
rows[0][0].tabIndex = 0
if (part.open) rows[0][0].focus()
