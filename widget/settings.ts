// How the chat box looks and what it says: the script tag's attributes first, then the channel's settings.

export type Settings = {
  title: string | null
  greeting: string | null
  launcherLabel: string | null
  color: string | null
  theme: 'auto' | 'light' | 'dark'
  side: 'auto' | 'left' | 'right'
  language: string
  hasSound: boolean
  /** By the business hours; null without any. */
  isOpen: boolean | null
  opensAt: string | null
  replyMinutes: number | null
  team: string[]
  /** Not set if it could not be loaded. */
  asksEmail?: boolean
  askAfterMinutes?: number
  acceptsFiles?: boolean
}

const defaults: Settings = {
  title: null,
  greeting: null,
  launcherLabel: null,
  color: null,
  theme: 'auto',
  side: 'auto',
  language: 'auto',
  hasSound: true,
  isOpen: null,
  opensAt: null,
  replyMinutes: null,
  team: [],
}

/** A page is not kept waiting for its chat box longer than that. */
const timeoutMs = 3_000
const keyOf = (channelId: string): string => `foyer-config:${channelId}`

/** What an earlier page of this site was told; the button then appears at once, in the right place. */
export const readKnown = (channelId: string): Partial<Settings> | null => {
  try {
    return JSON.parse(localStorage.getItem(keyOf(channelId))!) as Partial<Settings> | null
  } catch {
    return null
  }
}

/** Empty if it can't be loaded: the chat box then looks as it does without settings. */
export const loadSettings = async (base: string, channelId: string): Promise<Partial<Settings>> => {
  const abort = new AbortController()
  const timer = setTimeout(() => abort.abort(), timeoutMs)
  try {
    const response = await fetch(`${base}/widget/${encodeURIComponent(channelId)}/config`, {
      credentials: 'omit',
      signal: abort.signal,
    })
    if (response.ok) {
      const text = await response.text()
      try {
        localStorage.setItem(keyOf(channelId), text)
      } catch {
        // Blocked or full: it is loaded again on the next page.
      }
      // Our server's answer; its shape is declared above.
      return JSON.parse(text) as Partial<Settings>
    }
  } catch {
    // What an earlier page was told is the best there is.
  } finally {
    clearTimeout(timer)
  }
  return readKnown(channelId) ?? {}
}

const oneOf = <Value extends string>(value: string | undefined, known: readonly Value[]): Value | undefined =>
  known.find((one) => one === value)

/** Attributes come before settings. */
export const mergeSettings = (known: Partial<Settings>, data: DOMStringMap): Settings => {
  const settings = { ...defaults, ...known }
  return {
    ...settings,
    title: data.title || settings.title,
    greeting: data.greeting || settings.greeting,
    launcherLabel: data.launcherLabel ?? settings.launcherLabel,
    color: data.color || settings.color,
    theme: oneOf(data.theme, ['auto', 'light', 'dark']) ?? settings.theme,
    side: oneOf(data.side, ['left', 'right']) ?? settings.side,
    language: data.language || settings.language,
    hasSound: settings.hasSound && data.sound !== 'false',
    ...(data.hours === 'false' && { isOpen: null, opensAt: null, replyMinutes: null }),
    ...(data.team === 'false' && { team: [] }),
  }
}
