// Counts down to the time at which a drop opens, then loads the page again, each browser a little later than the other.
// A clock that is ahead of the site's waits for ten seconds at most, instead of loading again and again.
const timer = document.querySelector("[data-countdown]")
const format = number => String(number).padStart(2, "0")

function show() {
  const left = timer.dataset.countdown - Date.now()
  if (left <= 0) {
    return setTimeout(() => location.reload(), Math.min(-left, 10000) + Math.random() * 1000)
  }
  const seconds = Math.ceil(left / 1000)
  const hours = Math.floor(seconds / 3600)
  timer.textContent = [hours, Math.floor(seconds / 60) % 60, seconds % 60].map(format).join(":")
  timer.hidden = false
  setTimeout(show, 1000)
}

if (timer) show()
