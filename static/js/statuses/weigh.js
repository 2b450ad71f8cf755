// Counts characters as webapp/core/text does. Loaded once there is a text.
const EMOJI_MAX = 10 // code points of an emoji
const CONTINUES_EMOJI =
  /^[\u200d\u20e3\ufe0f\u{1f1e6}-\u{1f1ff}\u{1f3fb}-\u{1f3ff}\u{e0020}-\u{e007f}]$/u
const SINGLE_WEIGHT = /^[\0-\u10ff\u2000-\u200d\u2010-\u201f\u2032-\u2037]$/
const LINK = /https?:\/\/\S+/gi
// Links, empty lines and piled up marks: only the server knows what they count.
export const UNSURE = /:\/\/|[^\s.]\.[^\s.]|(\n\W*){3}|\p{M}{8}/u

export function weigh(text) {
  const points = [...text.normalize("NFC").trim().replace(LINK, "x".repeat(23))]
  let weight = 0
  for (let at = 0; at < points.length; ) {
    const size = emojiSize(points, at)
    weight += size > 1 || !SINGLE_WEIGHT.test(points[at]) ? 2 : 1
    at += size
  }
  return weight
}

// Return how many code points from here are one emoji, at least 1.
function emojiSize(points, at) {
  if (!CONTINUES_EMOJI.test(points[at + 1] ?? "")) return 1
  for (let size = EMOJI_MAX; size > 1; size--) {
    if (at + size <= points.length && isEmoji(points.slice(at, at + size).join(""))) return size
  }
  return 1
}

// An emoji may lack variation selectors, but must not have extra ones.
function isEmoji(text) {
  const bare = text.replaceAll("\ufe0f", "")
  const whole = bare.replace(
    /[\p{Emoji}--\p{Emoji_Presentation}](?!\p{Emoji_Modifier})/gv,
    "$&\ufe0f",
  )
  return (
    /^\p{RGI_Emoji}$/v.test(whole) &&
    !/[\p{Emoji_Presentation}\p{Emoji_Modifier}\ufe0f]\ufe0f/v.test(text)
  )
}
