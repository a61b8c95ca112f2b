// The script tag: draws the launcher and fetches the panel (chat.js) when it is first needed, or when this
// browser already has a session whose replies should show on the badge. Everything else is in chat.ts.
import { createHost, hostId } from './host.ts'
import { createEvents, exposeCommands } from './host-api.ts'
import { chooseLanguage } from './languages.ts'
import { englishLauncher } from './launcher.ts'
import { loadWords } from './load-words.ts'
import { personOf } from './person.ts'
import { loadSettings, mergeSettings, readKnown, type Settings } from './settings.ts'
import { forgetStored, hasStoredSession, readOpen } from './stored-session.ts'
import type { Chat, Shell, StartChat } from './types.ts'

const phoneQuery = '(max-width: 480px)'

const loadWidget = (script: HTMLScriptElement): void => {
  const channelId = script.dataset.channel
  if (!channelId) {
    console.warn('Foyer: the script tag needs data-channel.')
    return
  }
  // A page that inserts the tag twice (client-side navigation can) still gets one widget.
  if (document.getElementById(hostId)) return

  const base = new URL(script.src).origin
  const host = createHost()
  const isPreview = script.dataset.preview === 'true'
  const loaded = isPreview ? Promise.resolve({}) : loadSettings(base, channelId)
  const known = isPreview ? {} : readKnown(channelId)
  const begin = (first: Partial<Settings>): void =>
    run(script, host, { base, channelId, isPreview, settings: mergeSettings(first, script.dataset), loaded })
  if (known) begin(known)
  else void loaded.then(begin)
}

type Start = Pick<Shell, 'base' | 'channelId' | 'isPreview' | 'settings'> & {
  /** The newest settings, for what changes by the hour. */
  loaded: Promise<Partial<Settings>>
}

const run = (
  script: HTMLScriptElement,
  page: ReturnType<typeof createHost>,
  { loaded, ...start }: Start,
): void => {
  const { host, root, launcher, addStyle } = page
  const { base, channelId } = start
  let { language, words } = dress(base, page, start.settings)
  launcher.button.hidden = false
  const { emit, on } = createEvents()
  let isOpen = false
  const shell: Shell = {
    ...start,
    language,
    name: script.dataset.name ?? '',
    email: script.dataset.email ?? '',
    identity: script.dataset.identity ?? null,
    root,
    launcher: launcher.button,
    addStyle,
    emit,
    setUnread: launcher.setUnread,
    setOpen: (open) => {
      isOpen = open
      host.toggleAttribute('data-open', open)
      launcher.setOpen(open)
    },
  }

  /** What another page was told may be out of date. */
  const newest = loaded.then((known) => {
    const settings = mergeSettings(known, script.dataset)
    if (JSON.stringify(settings) !== JSON.stringify(shell.settings))
      ({ language, words } = dress(base, page, settings))
    Object.assign(shell, { settings, language })
    return words
  })
  let loading: Promise<Chat> | undefined
  const loadChat = (): Promise<Chat> => {
    loading ??= Promise.all([fetchChat(base, script.nonce), newest])
      .then(([start, words]) => start(shell, words))
      .catch((error: unknown) => {
        loading = undefined
        throw error
      })
    return loading
  }
  const openChat = async (takesFocus: boolean): Promise<void> => {
    launcher.setBusy(true)
    try {
      ;(await loadChat()).open(takesFocus)
    } catch {
      launcher.setFailed()
    }
    launcher.setBusy(false)
  }

  const withChat = (act: (chat: Chat) => void): void => void loadChat().then(act, () => {})
  const open = (): void => void openChat(true)
  const close = (): void => {
    if (loading) withChat((chat) => chat.close())
  }
  const toggle = (): void => (isOpen ? close() : open())
  launcher.button.addEventListener('click', toggle)
  launcher.button.addEventListener('pointerenter', () => withChat(() => {}), { once: true })

  const person = (): string | null => (shell.identity === null ? null : personOf(shell.identity))
  const identify = (token: unknown): void => {
    const identity = String(token ?? '')
    if (loading) withChat((chat) => chat.identify(identity))
    else {
      shell.identity = identity
      if (hasStoredSession(channelId, person()) || hasStoredSession(channelId, null)) withChat(() => {})
    }
  }
  exposeCommands({
    identify,
    open,
    close,
    toggle,
    prefill: (text) => withChat((chat) => chat.prefill(String(text ?? ''))),
    reset: () => {
      // What is loading would keep what it has read.
      if (loading) withChat((chat) => chat.reset())
      else forgetStored(channelId, person())
      shell.identity = null
    },
    showLauncher: (isShown) => {
      launcher.button.hidden = isShown === false
    },
    on,
  })
  emit('ready', undefined)

  // A panel that opens automatically doesn't take focus or cover a phone's whole screen. What the visitor
  // last did in this tab overrides data-open.
  const isWanted =
    readOpen(channelId) ??
    (script.dataset.open === 'true' && (shell.isPreview || !matchMedia(phoneQuery).matches))
  if (isWanted) void openChat(false)
  else if (hasStoredSession(channelId, person())) withChat(() => {})
}

/** The look and the language, also once they have changed. In English until the language is loaded, and if it can't be. */
const dress = (base: string, page: ReturnType<typeof createHost>, settings: Settings) => {
  page.setLook(settings)
  const language = chooseLanguage([settings.language, document.documentElement.lang, ...navigator.languages])
  page.setLanguage(language, settings)
  const words = language === 'en' ? Promise.resolve(undefined) : loadWords(base, language)
  void words.then((loaded) => {
    if (page.host.lang !== language) return
    const spoken = loaded ? language : 'en'
    page.launcher.setWords(loaded ?? englishLauncher, spoken)
    page.setLanguage(spoken, settings)
  })
  return { language, words }
}

const fetchChat = (base: string, nonce: string): Promise<StartChat> =>
  new Promise((resolve, reject) => {
    const script = document.createElement('script')
    script.async = true
    script.src = `${base}/widget/chat.js`
    if (nonce) script.nonce = nonce
    script.onload = script.onerror = () => {
      script.remove()
      if (window.foyerStartChat) resolve(window.foyerStartChat)
      else reject(new Error('chat.js did not load'))
    }
    document.head.append(script)
  })

const ownScript =
  (document.currentScript as HTMLScriptElement | null) ??
  document.querySelector<HTMLScriptElement>('script[data-channel][src*="/widget.js"]')

if (ownScript) {
  if (document.body) loadWidget(ownScript)
  else addEventListener('DOMContentLoaded', () => loadWidget(ownScript), { once: true })
}
