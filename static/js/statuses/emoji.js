// Emoji to choose from, in a grid with rows of eight: arrows, Home and End move, Enter inserts at the caret. They are
// found by their names in both languages.
const COLUMNS = 8
const LANGUAGES = [() => import("./emoji-en.js"), () => import("./emoji-zh.js")]

function element(tag, properties, ...children) {
  const created = Object.assign(document.createElement(tag), properties)
  created.append(...children)
  return created
}

const linesOf = groups => Object.values(groups).flatMap(lines => lines.trim().split("\n"))

function parse(line) {
  const [emoji, ...words] = line.trim().split(" ")
  return [emoji, words.join(" ")]
}

function emojiButton(line) {
  const [emoji, label] = parse(line)
  const more = { type: "button", tabIndex: -1, ariaLabel: label, title: label }
  return element("button", more, emoji)
}

// The buttons that are shown, in rows as a reader sees them.
function rowsOf(body) {
  return [...body.querySelectorAll(".emoji-grid")].flatMap(grid => {
    const buttons = [...grid.children].filter(button => !button.hidden)
    const count = Math.ceil(buttons.length / COLUMNS)
    return Array.from({ length: count }, (_, at) => buttons.slice(at * COLUMNS, ++at * COLUMNS))
  })
}

function target(rows, button, key) {
  const all = rows.flat()
  const index = all.indexOf(button)
  const row = rows.findIndex(buttons => buttons.includes(button))
  const below = step => rows[row + step]?.[rows[row].indexOf(button)] ?? rows[row + step]?.at(-1)
  return {
    ArrowLeft: () => all[index - 1],
    ArrowRight: () => all[index + 1],
    ArrowUp: () => below(-1),
    ArrowDown: () => below(1),
    Home: () => all[0],
    End: () => all.at(-1),
  }[key]?.()
}

export async function start(part) {
  const form = part.closest("form")
  const body = part.querySelector(".menu-body")
  const own = (part.closest(".composer-more") ?? form).querySelector(".composer-input")
  const search = element("input", {
    type: "search",
    className: "input",
    placeholder: part.dataset.emoji,
    ariaLabel: part.dataset.emoji,
    autocomplete: "off",
  })
  const none = element("p", { role: "status" })
  const names = new Map() // by emoji, for the search
  let field = own

  function insert(emoji) {
    if (!field.isConnected) field = own // its post is out
    field.setRangeText(emoji, field.selectionStart, field.selectionEnd, "end")
    field.dispatchEvent(new Event("input", { bubbles: true }))
    part.open = false
    field.focus()
  }

  const stop = button => {
    for (const other of body.querySelectorAll("button")) other.tabIndex = other === button ? 0 : -1
  }

  async function find() {
    if (!names.size) await readNames()
    const words = search.value.toLowerCase().trim().split(/\s+/)
    for (const grid of body.querySelectorAll(".emoji-grid")) {
      for (const button of grid.children)
        button.hidden = !words.every(word => names.get(button.textContent)?.includes(word))
      grid.hidden = grid.previousSibling.hidden = ![...grid.children].some(one => !one.hidden)
    }
    const first = rowsOf(body)[0]?.[0]
    none.textContent = first ? "" : part.dataset.none
    stop(first)
  }

  async function readNames() {
    for (const { default: groups } of await Promise.all(LANGUAGES.map(load => load())))
      for (const [emoji, name] of linesOf(groups).map(parse))
        names.set(emoji, `${names.get(emoji) ?? ""} ${name.toLowerCase()}`)
  }

  function onKey(event) {
    const rows = rowsOf(body)
    const isSearch = event.target === search
    if (isSearch && event.isComposing) return
    let next = isSearch ? null : target(rows, event.target, event.key)
    if (isSearch && event.key === "ArrowDown") next = body.querySelector("[tabindex='0']")
    if (isSearch && event.key === "Enter") {
      event.preventDefault() // it would send the form
      if (search.value.trim()) rows[0]?.[0].click()
    }
    if (!next) return
    event.preventDefault()
    next.focus()
  }

  // On a phone the keyboard would cover the emoji, so the search waits to be touched.
  function focus() {
    const isFine = matchMedia("(pointer: fine)").matches
    ;(isFine ? search : body.querySelector("[tabindex='0']"))?.focus()
  }

  body.addEventListener("keydown", onKey)
  body.addEventListener("click", event => {
    const button = event.target.closest(".emoji-grid button")
    if (button) insert(button.textContent)
  })
  // One button of the grid is a stop of the Tab key: the last one that was used.
  body.addEventListener("focusin", ({ target }) => target !== search && stop(target))
  search.addEventListener("input", find)
  form.addEventListener("focusin", ({ target }) => {
    if (target.matches(".composer-input")) field = target
  })
  part.addEventListener("toggle", () => part.open && focus())

  const isChinese = document.documentElement.lang.startsWith("zh")
  const { default: groups } = await LANGUAGES[Number(isChinese)]()
  const parts = Object.entries(groups).flatMap(([ariaLabel, lines]) => [
    element("p", { ariaHidden: "true", textContent: ariaLabel }),
    element(
      "div",
      { role: "group", ariaLabel, className: "emoji-grid" },
      ...lines.trim().split("\n").map(emojiButton),
    ),
  ])
  body.replaceChildren(search, none, ...parts)
  stop(rowsOf(body)[0][0])
  if (part.open) focus()
}
