// Loads the code of what is opened. Without a network, or while the server restarts, that fails: it is tried again until
// it works, and the page stays. The build puts each import() through here; see vite.config.ts.
import { useSyncExternalStore } from 'react'

/** `outdated`: the server has a new version, without the files of this one. */
type CodeState = 'here' | 'missing' | 'outdated'

const PROBE_MIN_MS = 1_000
const PROBE_MAX_MS = 10_000
const PROBE_TIMEOUT_MS = 5_000
const SAFE_CHECK_MS = 1_000
const RELOADED_KEY = 'foyer.reloaded'
const RELOADED_AGAIN_MS = 30_000
/** As Chrome, Firefox and Safari say that a file could not be fetched. Anything else is a mistake in the code. */
const NOT_FETCHED = /dynamically imported module|Importing a module script failed/i
/** Where something may be written that is stored nowhere yet. */
const UNSAVED = '[role="dialog"], [role="alertdialog"], main form, main :is(input, textarea, select):focus'

const waiting = new Set<object>()
let isOutdated = false
const listeners = new Set<() => void>()
const tell = (): void => {
  for (const listener of listeners) listener()
}

export const useCodeState = (): CodeState =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => (isOutdated ? 'outdated' : waiting.size > 0 ? 'missing' : 'here'),
  )

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      window.removeEventListener('online', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    window.addEventListener('online', end)
  })

const isReachable = async (): Promise<boolean> => {
  try {
    const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS)
    return (await fetch('/', { cache: 'no-store', signal })).ok
  } catch {
    return false
  }
}

const untilReachable = async (): Promise<void> => {
  for (let waitMs = PROBE_MIN_MS; !(await isReachable()); waitMs = Math.min(waitMs * 2, PROBE_MAX_MS))
    await pause(waitMs)
}

const sinceReloadMs = (): number => Date.now() - Number(sessionStorage.getItem(RELOADED_KEY) ?? 0)

/** Whatever would be lost asks to stay, as if the page were left. */
const isSafe = (): boolean =>
  // Whoever is signing in has no banner that offers it.
  (location.pathname === '/sign-in' || !document.querySelector(UNSAVED)) &&
  window.dispatchEvent(new Event('beforeunload', { cancelable: true })) &&
  sinceReloadMs() > RELOADED_AGAIN_MS

/** Only once the server has answered: a reload without it would leave the browser's error page. */
export const reload = async (): Promise<void> => {
  await untilReachable()
  sessionStorage.setItem(RELOADED_KEY, String(Date.now()))
  location.reload()
}

/** The same by itself, and therefore not over and over. */
export const reloadWhenBack = async (): Promise<void> => {
  await pause(Math.max(0, RELOADED_AGAIN_MS - sinceReloadMs()))
  await reload()
}

export const loadCode = async <T>(load: () => Promise<T>): Promise<T> => {
  const own = {}
  for (let tries = 1; ; tries++)
    try {
      const code = await load()
      if (waiting.delete(own)) {
        isOutdated = false
        tell()
      }
      return code
    } catch (error) {
      if (!NOT_FETCHED.test(String(error))) throw error
      waiting.add(own)
      tell()
      await untilReachable()
      if (tries === 1) continue
      isOutdated = true
      tell()
      if (isSafe()) await reload()
      await pause(SAFE_CHECK_MS)
    }
}
