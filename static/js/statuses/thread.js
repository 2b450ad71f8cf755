// Adds a card for another post of a thread, removes one, and says beside a field why it is refused.
const PARTS_MAX = 9 // posts besides the first

const cardsOf = form => [...form.querySelectorAll(".composer-more")]

// Return the text field of the new card. Throw if the card cannot be loaded.
export async function addPost(form) {
  const { another } = form.elements
  const response = await fetch(another.dataset.part + (cardsOf(form).length + 2))
  if (!response.ok || response.redirected) throw response
  const page = new DOMParser().parseFromString(await response.text(), "text/html")
  const card = page.querySelector(".composer-more")
  if (cardsOf(form).length < PARTS_MAX) form.querySelector(".composer-end").before(card)
  number(form)
  return cardsOf(form).at(-1).querySelector("textarea")
}

export function removePost(card) {
  const form = card.closest("form")
  const at = cardsOf(form).indexOf(card)
  card.remove()
  number(form)
  const fields = form.querySelectorAll(".composer-input")
  const next = fields[at + 1] ?? fields[at]
  next.dispatchEvent(new Event("input", { bubbles: true })) // so that the rest is kept
  next.focus()
}

// Name the fields of each card after its place.
function number(form) {
  const { another } = form.elements
  const cards = cardsOf(form)
  for (const [index, card] of cards.entries()) {
    for (const attribute of ["id", "name", "for", "aria-describedby"]) {
      for (const one of card.querySelectorAll(`[${attribute}*=more]`)) {
        const value = one.getAttribute(attribute).replace(/more\d/g, `more${index + 1}`)
        one.setAttribute(attribute, value)
      }
    }
    const remover = card.querySelector(".composer-remove")
    const label = another.dataset.label.replace("{number}", index + 2)
    card.querySelector("label").textContent = label
    remover.ariaLabel = remover.dataset.label.replace("{number}", index + 2)
  }
  another.hidden = cards.length === PARTS_MAX
}

document.addEventListener("linnet:blank", ({ detail: form }) => {
  for (const card of cardsOf(form)) card.remove()
  number(form)
})

// Show, beside the field that it belongs to, why the form is refused.
export function showReason(form, name, textContent) {
  const field = form.querySelector(`[name="${name}"]`)
  const part = field.closest(".field, details")
  const reason = Object.assign(document.createElement("p"), { textContent })
  reason.className = "field-error"
  reason.setAttribute("role", "alert")
  if (part) part.append(reason)
  else field.closest(".composer-row").after(reason)
  const folded = field.closest("details")
  if (folded) folded.open = true
}
