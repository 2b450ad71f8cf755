// The searches that this device keeps. They never leave it, and another member of it is not shown them.
const KEY = "searches"
const MAX = 10
const owner = document.querySelector(".account-name .byline-login")?.textContent ?? ""

export function read() {
  try {
    const stored = JSON.parse(localStorage.getItem(KEY))
    if (stored?.owner === owner && Array.isArray(stored.queries))
      return stored.queries.slice(0, MAX)
    forget()
  } catch {}
  return [] // the browser may keep nothing
}

export function keep(query) {
  const words = query.trim().replace(/\s+/g, " ")
  if (!words) return
  const queries = [words, ...read().filter(other => other !== words)].slice(0, MAX)
  try {
    localStorage.setItem(KEY, JSON.stringify({ owner, queries }))
  } catch {}
}

export function forget() {
  try {
    localStorage.removeItem(KEY)
  } catch {}
}
