// The script tag: draws the launcher and fetches the panel (chat.js) when it is first needed, or when this
// browser already has a session whose replies should show on the badge. Everything else is in chat.ts.
import { applyAccent } from './accent.ts'
import { chooseLanguage, directionOf, type Language } from './languages.ts'
import launcherCss from './launcher.css?inline'
import { createLauncher } from './launcher.ts'
import { loadWords } from './load-words.ts'
import { hasStoredSession, readOpen } from './stored-session.ts'
import type { Chat, Shell, StartChat } from './types.ts'

const hostId = 'foyer-chat'
const phoneQuery = '(max-width: 480px)'

const loadWidget = (script: HTMLScriptElement): void => {
  const channelId = script.dataset.channel
  if (!channelId) {
    console.warn('Foyer: the script tag needs data-channel="…".')
    return
  }
  // A page that inserts the tag twice (client-side navigation can) still gets one widget.
  if (document.getElementById(hostId)) return

  const host = document.createElement('div')
  host.id = hostId
  const root = host.attachShadow({ mode: 'open' })
  const launcher = createLauncher()
  root.append(launcher.button)

  // Constructed style sheets are allowed by a host page's style-src policy; a <style> element would not be.
  const addStyle = (css: string): void => {
    try {
      const sheet = new CSSStyleSheet()
      sheet.replaceSync(css)
      root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet]
    } catch {
      const style = document.createElement('style')
      style.textContent = css
      root.prepend(style)
    }
  }
  addStyle(launcherCss)
  document.body.append(host)
  applyAccent(host, root, script.dataset.color)

  const base = new URL(script.src).origin
  const language = chooseLanguage([
    script.dataset.language,
    document.documentElement.lang,
    ...navigator.languages,
  ])
  const speak = (spoken: Language): void => {
    host.lang = spoken
    host.dir = directionOf(spoken)
    host.dataset.side = host.dir === 'rtl' ? 'left' : 'right'
  }
  speak(language)
  const wordsLoaded = language === 'en' ? Promise.resolve(undefined) : loadWords(base, language)
  void wordsLoaded.then((words) => {
    if (words) launcher.setWords(words, language)
    else speak('en')
  })

  let isOpen = false
  const shell: Shell = {
    base,
    language,
    channelId,
    title: script.dataset.title ?? '',
    name: script.dataset.name ?? '',
    email: script.dataset.email ?? '',
    root,
    launcher: launcher.button,
    addStyle,
    setUnread: launcher.setUnread,
    setOpen: (open) => {
      isOpen = open
      host.toggleAttribute('data-open', open)
      launcher.setOpen(open)
    },
  }

  let loading: Promise<Chat> | undefined
  const loadChat = (): Promise<Chat> => {
    loading ??= Promise.all([fetchChat(base, script.nonce), wordsLoaded])
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

  launcher.button.addEventListener('click', async () => {
    if (isOpen) (await loadChat()).close()
    else await openChat(true)
  })
  launcher.button.addEventListener('pointerenter', () => void loadChat().catch(() => {}), { once: true })

  // A panel that opens automatically doesn't take focus or cover a phone's whole screen. What the visitor
  // last did in this tab overrides data-open.
  const isWanted = readOpen(channelId) ?? (script.dataset.open === 'true' && !matchMedia(phoneQuery).matches)
  if (isWanted) void openChat(false)
  else if (hasStoredSession(channelId)) void loadChat().catch(() => {})
}

const fetchChat = (base: string, nonce: string): Promise<StartChat> =>
  new Promise((resolve, reject) => {
    const script = document.createElement('script')
    script.async = true
    script.src = `${base}/widget/chat.js`
    if (nonce) script.nonce = nonce
    script.onload = () => {
      script.remove()
      if (window.foyerStartChat) resolve(window.foyerStartChat)
      else reject(new Error('chat.js did not start'))
    }
    script.onerror = () => {
      script.remove()
      reject(new Error('chat.js did not load'))
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
