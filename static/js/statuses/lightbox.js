// Shows a whole picture, with the others of its post: arrows turn, Escape closes, and the focus returns.
function element(tag, properties, ...children) {
  const created = Object.assign(document.createElement(tag), properties)
  created.append(...children)
  return created
}

export function open(link) {
  const gallery = link.closest(".gallery")
  const links = [...gallery.querySelectorAll("a")]
  const labels = gallery.dataset
  const picture = element("img")
  const caption = element("figcaption", { ariaLive: "polite", tabIndex: 0 }) // a long one scrolls
  const button = (name, sign, onclick) =>
    element("button", {
      className: `lightbox-${name}`,
      ariaLabel: labels[name],
      textContent: sign,
      onclick,
    })
  const turn = step => show((current + step + links.length) % links.length)
  const turnButtons = [button("previous", "‹", () => turn(-1)), button("next", "›", () => turn(1))]
  const hasOthers = links.length > 1
  const dialog = element(
    "dialog",
    { className: "lightbox" },
    button("close", "×", () => dialog.close()),
    element("figure", {}, picture, caption),
    ...(hasOthers ? turnButtons : []),
  )
  let current = 0

  function show(index) {
    current = index
    const { ariaPressed, href } = links[current]
    const { alt, attributes, src } = links[current].querySelector("img")
    picture.removeAttribute("src") // so that the one before is not taken for it
    for (const side of ["width", "height"]) picture.setAttribute(side, attributes[side].value)
    Object.assign(picture, { src: ariaPressed === "false" ? src : href, alt }) // a stopped one stays still
    caption.textContent = alt
  }

  dialog.addEventListener("keydown", event => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (step && hasOthers) turn(step)
  })
  dialog.addEventListener("click", event => {
    if (event.target === dialog) dialog.close()
  })
  dialog.addEventListener("close", () => {
    dialog.remove()
    link.focus()
  })
  show(links.indexOf(link))
  document.body.append(dialog)
  dialog.showModal()
}
