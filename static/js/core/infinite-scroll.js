// Appends older posts when the reader comes near the end of a list. The address is that of the page which
// the reader sees, and leads back to the same post.
import { postIn } from "./fetched-posts.js"
import { emit } from "./posts.js"

const PAGES_MAX = 5 // then the reader asks for more, so that the end of the page can be reached
const NEAR = "800px"
const ENTRIES = `.status, .group-post, .tile, .joint, .show-thread, .status-links, .boosted,
  .filtered, .live-gone, .pager-filtered`
const POSTS = ".status[id], .tile"

const pages = [] // the first entry of each appended page, and its address
const firstAddress = location.href
let isAppending = false

const pagerIn = page => page.querySelector(".pager:has([rel=next])")
const isNew = entry => !document.getElementById(postIn(entry).id)
const topOf = element => element.getBoundingClientRect().top

async function append(link) {
  const response = await fetch(link.href).catch(() => null)
  if (!response?.ok || response.url !== link.href) return
  const page = new DOMParser().parseFromString(await response.text(), "text/html")
  const pager = link.closest(".pager")
  const newPager = page.querySelector("main .pager")
  const entries = newPager
    ? [...newPager.parentElement.children].filter(one => one.matches(ENTRIES))
    : []
  const added = entries.filter(isNew)
  if (!added.length) return
  const hadFocus = pager.contains(document.activeElement)
  pager.before(...added)
  pager.replaceWith(newPager)
  if (hadFocus) postIn(added[0]).focus({ preventScroll: true })
  pages.push({ entry: added[0], address: link.href })
  history.scrollRestoration = "manual"
  emit("inserted", newPager.parentElement)
  addressObserver.observe(added[0])
  watch()
}

async function onNear(entries, observer) {
  const { isIntersecting, target } = entries.at(-1)
  if (!isIntersecting || isAppending) return
  isAppending = true
  observer.disconnect()
  await append(target)
  isAppending = false
}

function watch() {
  const link = pagerIn(document)?.querySelector("[rel=next]")
  if (!link || pages.length >= PAGES_MAX || navigator.connection?.saveData) return
  new IntersectionObserver(onNear, { rootMargin: `0px 0px ${NEAR}` }).observe(link)
}

// The post above the middle of the window is the one that the reader sees.
function postInSight() {
  return [...document.querySelectorAll(POSTS)].findLast(post => topOf(post) < innerHeight / 2)
}

function showAddress() {
  const post = postInSight()
  const begun = pages.filter(({ entry }) => post && topOf(entry) <= topOf(post))
  const address = begun.at(-1)?.address ?? firstAddress
  if (address !== location.href) history.replaceState(history.state, "", address)
}

const addressObserver = new IntersectionObserver(showAddress, { rootMargin: "0px 0px -50%" })

function rememberPlace() {
  const post = postInSight()
  if (!post || !(pages.length || history.state?.place)) return // otherwise browsers know the place
  showAddress()
  history.replaceState({ ...history.state, place: { id: post.id, top: topOf(post) } }, "")
}

function returnToPlace() {
  const { id, top } = history.state?.place ?? {}
  const post = id && document.getElementById(id)
  if (post) scrollBy(0, topOf(post) - top)
}

returnToPlace()
// WebKit shows a page that it has kept from its top, as the place is not the browser's task.
addEventListener("pageshow", ({ persisted }) => persisted && returnToPlace())
addEventListener("click", rememberPlace, { capture: true }) // a note at the end may come too late
addEventListener("pagehide", rememberPlace)
watch()
