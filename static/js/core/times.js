// Shows the server's times as the reader's: how long ago, in their time zone.
const MINUTE = 60_000,
  HOUR = 60 * MINUTE,
  DAY = 24 * HOUR
const lang = document.documentElement.lang
const ago = new Intl.RelativeTimeFormat(lang, { numeric: "auto", style: "narrow" })
const full = new Intl.DateTimeFormat(lang, { dateStyle: "long", timeStyle: "short" })
const day = new Intl.DateTimeFormat(lang, { month: "short", day: "numeric" })
const otherDay = new Intl.DateTimeFormat(lang, { dateStyle: "medium" })

function relative(moment) {
  const passed = Date.now() - moment
  if (passed < MINUTE) return lang.startsWith("zh") ? "刚刚" : ago.format(0, "second")
  if (passed < HOUR) return ago.format(-Math.floor(passed / MINUTE), "minute")
  if (passed < DAY) return ago.format(-Math.floor(passed / HOUR), "hour")
  return (moment.getFullYear() === new Date().getFullYear() ? day : otherDay).format(moment)
}

function refresh(root) {
  for (const time of root.querySelectorAll("time[data-relative], time[data-local]")) {
    const moment = new Date(time.dateTime)
    const text = "relative" in time.dataset ? relative(moment) : full.format(moment)
    time.title = full.format(moment)
    if (time.textContent !== text) time.textContent = text
  }
}

const refreshPage = () => document.hidden || refresh(document)
refreshPage()
setInterval(refreshPage, MINUTE)
document.addEventListener("visibilitychange", refreshPage)
document.addEventListener("linnet:inserted", event => refresh(event.detail))
