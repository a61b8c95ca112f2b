// Shows notifications, and keeps the console's page and the files that it has loaded, so that it opens without a
// connection. Answers of the API are never kept, and other parts of the site are left alone.
export {}

declare const self: ServiceWorkerGlobalScope
/** Of the build; see build-service-worker.ts. */
declare const VERSION: string
declare const NO_SCREEN: string

const CACHE_PREFIX = 'foyer-shell-'
const CACHE = CACHE_PREFIX + VERSION
const PAGE = '/'
const OTHER_PARTS = new RegExp(NO_SCREEN)

/** As domain/notifications/push-payload.ts sends it. */
type Shown = {
  id: string
  title: string
  body: string
  tag: string
  path: string
  conversationId: string
  sentAt: string
}

/** What a page in any language loads first. */
const FIRST_FILES = /(?:src|href)="(\/assets\/[^"]+\.(?:js|css))"/g

self.addEventListener('install', (event) => {
  const keep = async (): Promise<void> => {
    const page = await fetch(PAGE, { cache: 'reload' })
    if (!page.ok) throw new Error(`The page can't be kept: ${page.status}`)
    const files = [...(await page.clone().text()).matchAll(FIRST_FILES)].map(([, path]) => path!)
    const cache = await caches.open(CACHE)
    await cache.addAll(files)
    await cache.put(PAGE, page)
    await self.skipWaiting()
  }
  event.waitUntil(keep())
})

self.addEventListener('activate', (event) => {
  const takeOver = async (): Promise<void> => {
    for (const name of await caches.keys())
      if (name.startsWith(CACHE_PREFIX) && name !== CACHE) await caches.delete(name)
    await self.clients.claim()
  }
  event.waitUntil(takeOver())
})

/**
 * From the network, so that a new version or another language is seen at once; kept for when there is none. Each screen
 * is the same page.
 */
const openScreen = async (request: Request): Promise<Response> => {
  try {
    const response = await fetch(request)
    if (response.ok && !response.redirected) await keepIfPossible(PAGE, response)
    if (response.status < 500) return response
    return (await caches.match(PAGE, { cacheName: CACHE })) ?? response
  } catch (error) {
    const kept = await caches.match(PAGE, { cacheName: CACHE })
    if (kept) return kept
    throw error
  }
}

/** A full disk is no reason not to load. */
const keepIfPossible = async (path: string, response: Response): Promise<void> => {
  const copy = response.clone()
  await caches
    .open(CACHE)
    .then((cache) => cache.put(path, copy))
    .catch(() => {})
}

/** Their names contain a hash of their contents. */
const loadAsset = async (request: Request): Promise<Response> => {
  const kept = await caches.match(request.url)
  if (kept) return kept
  const response = await fetch(request)
  if (response.ok) await keepIfPossible(request.url, response)
  return response
}

const namesFile = (path: string): boolean => path.slice(path.lastIndexOf('/')).includes('.')

self.addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (request.method !== 'GET' || origin !== self.location.origin) return
  if (pathname.startsWith('/assets/')) event.respondWith(loadAsset(request))
  else if (request.mode === 'navigate' && !OTHER_PARTS.test(pathname) && !namesFile(pathname))
    event.respondWith(openScreen(request))
})

// Notifications -------------------------------------------------------------------------------------------------------

const SEEN_CACHE = 'foyer-notified'
const SEEN_MAX = 50

/** Whether it was shown before: the server sends again what it doesn't know to have arrived. */
const isRepeat = async (id: string): Promise<boolean> => {
  const seen = await caches.open(SEEN_CACHE)
  const name = `/notified/${id}`
  if (await seen.match(name)) return true
  await seen.put(name, new Response())
  const all = await seen.keys()
  for (const old of all.slice(0, Math.max(0, all.length - SEEN_MAX))) await seen.delete(old)
  return false
}

const show = async ({ id, title, body, tag, path, conversationId, sentAt }: Shown): Promise<void> => {
  const tabs = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
  const isRead = tabs.some((tab) => tab.focused && new URL(tab.url).pathname.endsWith(`/${conversationId}`))
  if (isRead) return
  const isAgain = await isRepeat(id)
  // `renotify` and `timestamp` are missing from TypeScript's list of options.
  const options: NotificationOptions & { renotify: boolean; timestamp: number } = {
    body,
    tag,
    icon: '/icon-192.png',
    data: { path },
    silent: isAgain,
    renotify: !isAgain,
    timestamp: Date.parse(sentAt),
  }
  await self.registration.showNotification(title, options)
  // A page that is open shows how many.
  if (tabs.length === 0) await self.navigator.setAppBadge?.().catch(() => {})
}

self.addEventListener('push', (event) => {
  const shown = event.data?.json() as Shown | undefined
  if (shown) event.waitUntil(show(shown))
})

/** In the console that is open, or in a new window. */
const open = async (path: string): Promise<void> => {
  const tabs = await self.clients.matchAll({ type: 'window' })
  const tab = tabs.find(({ visibilityState }) => visibilityState === 'visible') ?? tabs[0]
  if (!tab) {
    await self.clients.openWindow(path)
    return
  }
  await tab.focus().catch(() => {})
  tab.postMessage({ type: 'open', path })
}

self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(open((event.notification.data as { path: string }).path))
})

/** The push service has given the browser another address. */
const resubscribe = async (old: PushSubscription | null): Promise<void> => {
  if (!old) return
  const subscription = await self.registration.pushManager.subscribe(old.options)
  await fetch('/console/api/notifications/subscription', {
    method: 'PUT',
    headers: { 'content-type': 'application/json', 'x-foyer-console': '1' },
    body: JSON.stringify(subscription),
  })
}

self.addEventListener('pushsubscriptionchange', (event) => {
  // TypeScript knows it as a plain event.
  const { oldSubscription } = event as ExtendableEvent & { oldSubscription: PushSubscription | null }
  ;(event as ExtendableEvent).waitUntil(resubscribe(oldSubscription))
})
