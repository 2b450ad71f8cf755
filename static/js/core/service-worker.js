// Keeps static files, whose addresses name their content, and a page to show without a connection.
// Pages, data and pictures of the site always come from the network. It also shows notifications that the site pushes.
// The server adds VERSION, FILES, ICON and PUSH_KEY.
const PREFIX = "linnet-"
const CACHE = PREFIX + VERSION
const STATIC_PATH = /^\/static\/.+\.[0-9a-f]{12}\.\w+$/

async function removeOldVersions() {
  const names = await caches.keys()
  const old = names.filter(name => name.startsWith(PREFIX) && name !== CACHE)
  await Promise.all(old.map(name => caches.delete(name)))
}

async function keepFiles() {
  const cache = await caches.open(CACHE)
  await cache.addAll(FILES)
}

async function begin() {
  await removeOldVersions()
  await self.registration.navigationPreload?.enable()
  await self.clients.claim()
}

function find(request) {
  return caches.match(request, { cacheName: CACHE, ignoreVary: true }).catch(() => undefined)
}

async function keep(request, response) {
  const cache = await caches.open(CACHE)
  await cache.put(request, response)
}

async function openPage(event) {
  try {
    return (await event.preloadResponse) || (await fetch(event.request))
  } catch {
    return (await find(FILES[0])) || Response.error()
  }
}

async function openFile(event) {
  const cached = await find(event.request)
  if (cached) return cached
  const response = await fetch(event.request)
  // An address of another version redirects to the current one.
  if (response.status === 200 && !response.redirected) {
    event.waitUntil(keep(event.request, response.clone()).catch(() => {}))
  }
  return response
}

function isStatic({ origin, pathname, search }) {
  return origin === self.location.origin && !search && STATIC_PATH.test(pathname)
}

self.addEventListener("install", event => {
  self.skipWaiting()
  event.waitUntil(keepFiles())
})

self.addEventListener("activate", event => event.waitUntil(begin()))

self.addEventListener("fetch", event => {
  const { method, mode, url } = event.request
  if (method !== "GET") return
  if (mode === "navigate") event.respondWith(openPage(event))
  else if (isStatic(new URL(url))) event.respondWith(openFile(event))
})

async function openNotification({ url }) {
  const target = new URL(url, self.location.origin)
  if (target.origin !== self.location.origin) return
  const tabs = await self.clients.matchAll({ type: "window", includeUncontrolled: true })
  const tab = tabs.find(client => client.url === target.href) ?? tabs[0]
  if (!tab) return self.clients.openWindow(target.href)
  const focused = await tab.focus().catch(() => tab)
  if (focused.url === target.href) return
  // A tab that this worker does not control cannot be led elsewhere.
  await focused.navigate(target.href).catch(() => self.clients.openWindow(target.href))
}

async function renewSubscription({ newSubscription }) {
  const options = { userVisibleOnly: true, applicationServerKey: PUSH_KEY }
  const subscription = newSubscription ?? (await self.registration.pushManager.subscribe(options))
  const { endpoint, keys } = subscription.toJSON()
  const body = new URLSearchParams({ endpoint, ...keys })
  await fetch("/settings/notifications/devices/renew", { method: "POST", body })
}

self.addEventListener("push", event => {
  const { title, body, url, tag, lang } = event.data.json()
  const icon = ICON
  const options = { body, tag, lang, icon, badge: icon, dir: "auto", data: { url } }
  event.waitUntil(self.registration.showNotification(title, options))
})

self.addEventListener("notificationclick", event => {
  event.notification.close()
  event.waitUntil(openNotification(event.notification.data))
})

self.addEventListener("pushsubscriptionchange", event => event.waitUntil(renewSubscription(event)))
