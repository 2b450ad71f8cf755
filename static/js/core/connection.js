// Keeps one EventSource open while it is wanted, and tries again after an error.
const FIRST_PAUSE = 1_000 // ms; doubled each time, up to LONGEST_PAUSE, and random
const LONGEST_PAUSE = 60_000

// `address` gives the URL of each try; `onOpen` gets each new source.
export function connect({ address, isWanted, onOpen }) {
  let source = null
  let timer = 0
  let pause = FIRST_PAUSE

  function open() {
    clearTimeout(timer)
    if (source || !isWanted()) return
    source = new EventSource(address(), { withCredentials: "chats" in document.body.dataset })
    source.onopen = () => {
      pause = FIRST_PAUSE
    }
    source.onerror = () => {
      close()
      timer = setTimeout(open, Math.random() * pause)
      pause = Math.min(pause * 2, LONGEST_PAUSE)
    }
    onOpen(source)
  }

  function close() {
    clearTimeout(timer)
    source?.close()
    source = null
  }

  document.addEventListener("visibilitychange", () => (isWanted() ? open() : close()))
  addEventListener("pagehide", close)
  addEventListener("pageshow", open)
  open()
  return close
}
