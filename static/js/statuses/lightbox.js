// All of a picture, with the others of its post: arrows turn, Escape closes, and the focus goes back to where it was.
const make = (tag, looks, ...inside) => {
  const one = Object.assign(document.createElement(tag), looks)
  one.append(...inside)
  return one
}

export function open(link) {
  const links = [...link.parentElement.children], words = link.parentElement.dataset
  const picture = make("img"), caption = make("figcaption", { ariaLive: "polite", tabIndex: 0 }) // a long one scrolls
  const button = (name, sign, act) => make("button", { className: `lightbox-${name}`, ariaLabel: words[name], textContent: sign, onclick: act })
  const turn = by => show((at + by + links.length) % links.length)
  const others = links.length > 1 ? [button("previous", "‹", () => turn(-1)), button("next", "›", () => turn(1))] : []
  const box = make("dialog", { className: "lightbox" }, button("close", "×", () => box.close()), make("figure", {}, picture, caption), ...others)
  let at

  function show(place) {
    at = place
    const { alt, attributes } = links[at].querySelector("img")
    picture.removeAttribute("src") // so that the one before is not taken for it
    for (const side of ["width", "height"]) picture.setAttribute(side, attributes[side].value)
    Object.assign(picture, { src: links[at].href, alt })
    caption.textContent = alt
  }

  box.addEventListener("keydown", event => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (by && others.length) turn(by)
  })
  box.addEventListener("click", event => event.target === box && box.close())
  box.addEventListener("close", () => (box.remove(), link.focus()))
  show(links.indexOf(link))
  document.body.append(box)
  box.showModal()
}
