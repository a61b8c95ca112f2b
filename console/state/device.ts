// What this browser does beside showing the page: desktop notifications, opening without a connection, and the number on
// the app's icon.

import { queryOptions } from '@tanstack/react-query'
import { request } from './api.ts'
import { keys } from './query-keys.ts'
import type { OwnNotifications } from './types.ts'

export const notificationsQuery = queryOptions({
  queryKey: [...keys.session, 'notifications'],
  queryFn: ({ signal }) => request<OwnNotifications>('GET', '/notifications', { signal }),
})

/** Set while this browser is to get notifications; permission alone outlives signing out. */
const WANTED_KEY = 'foyer.push'

export type DeviceState = 'on' | 'off' | 'blocked' | 'unsupported'

const isSupported = (): boolean =>
  'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window

export const deviceState = (): DeviceState => {
  if (!isSupported()) return 'unsupported'
  if (Notification.permission === 'denied') return 'blocked'
  return Notification.permission === 'granted' && localStorage.getItem(WANTED_KEY) === '1' ? 'on' : 'off'
}

const toBytes = (key: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(key.replaceAll('-', '+').replaceAll('_', '/')), (one) => one.charCodeAt(0))

const isMadeWith = ({ options }: PushSubscription, key: Uint8Array): boolean => {
  const own = new Uint8Array(options.applicationServerKey ?? new ArrayBuffer(0))
  return own.length === key.length && own.every((byte, at) => byte === key[at])
}

/** Tells the server where this browser gets its notifications: with each start, as either side may have changed. */
const subscribe = async (pushKey: string): Promise<void> => {
  const { pushManager } = await navigator.serviceWorker.ready
  const key = toBytes(pushKey)
  let subscription = await pushManager.getSubscription()
  if (subscription && !isMadeWith(subscription, key)) {
    await subscription.unsubscribe()
    subscription = null
  }
  subscription ??= await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key })
  await request('PUT', '/notifications/subscription', { body: subscription.toJSON() })
}

/** Asks the person first. Throws if the browser can't reach its push service. */
export const turnOn = async (pushKey: string): Promise<DeviceState> => {
  if ((await Notification.requestPermission()) !== 'granted') return deviceState()
  await subscribe(pushKey)
  localStorage.setItem(WANTED_KEY, '1')
  return 'on'
}

export const turnOff = async (): Promise<void> => {
  localStorage.removeItem(WANTED_KEY)
  const registration = await navigator.serviceWorker?.getRegistration()
  const subscription = await registration?.pushManager?.getSubscription()
  if (!subscription) return
  await request('POST', '/notifications/subscription/end', {
    body: { endpoint: subscription.endpoint },
  }).catch(() => {})
  await subscription.unsubscribe()
}

/** On signing out: the next person at this browser sees nothing of this one. */
export const forget = async (): Promise<void> => {
  await turnOff()
  await navigator.clearAppBadge?.()
  const registration = await navigator.serviceWorker?.getRegistration()
  for (const shown of (await registration?.getNotifications()) ?? []) shown.close()
  // The page and its files are the same for everybody.
  await caches.delete('foyer-notified')
}

/** Once per page. `open` shows what a notification leads to. */
export const startDevice = async (open: (path: string) => void): Promise<void> => {
  if (!('serviceWorker' in navigator)) return
  navigator.serviceWorker.addEventListener(
    'message',
    ({ data }: MessageEvent<{ type?: string; path?: string }>) => {
      if (data.type === 'open' && data.path) open(data.path)
    },
  )
  await navigator.serviceWorker.register('/sw.js', { updateViaCache: 'none' })
  if (deviceState() !== 'on') return
  const { pushKey } = await request<OwnNotifications>('GET', '/notifications')
  await subscribe(pushKey)
}
