// Return the screen position of a character in a field, measured on an invisible copy of the field.
const COPIED = [
  "boxSizing",
  "width",
  "paddingTop",
  "paddingRight",
  "paddingBottom",
  "paddingLeft",
  "borderTopWidth",
  "borderRightWidth",
  "borderBottomWidth",
  "borderLeftWidth",
  "borderStyle",
  "font",
  "letterSpacing",
  "lineHeight",
  "tabSize",
  "textIndent",
  "direction",
  "overflowWrap",
]

export function rectAt(field, index) {
  const style = getComputedStyle(field)
  const copy = document.createElement("div")
  const mark = document.createElement("span")
  for (const name of COPIED) copy.style[name] = style[name]
  Object.assign(copy.style, {
    position: "fixed",
    top: 0,
    left: 0,
    visibility: "hidden",
    whiteSpace: field.matches("textarea") ? "pre-wrap" : "pre",
  })
  mark.textContent = field.value[index] ?? "."
  copy.append(field.value.slice(0, index), mark, field.value.slice(index + 1))
  document.body.append(copy)
  const inCopy = mark.getBoundingClientRect()
  const frame = copy.getBoundingClientRect()
  copy.remove()
  const box = field.getBoundingClientRect()
  const left = box.left + inCopy.left - frame.left - field.scrollLeft
  const bottom = box.top + inCopy.bottom - frame.top - field.scrollTop
  // A line that is scrolled out of the field counts as its first or last one.
  const lineBottom = Math.min(Math.max(bottom, box.top + inCopy.height), box.bottom)
  return { left: Math.min(left, box.right), top: lineBottom - inCopy.height, bottom: lineBottom }
}
