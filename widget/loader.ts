// The script tag: draws the launcher and fetches the panel (chat.js) when it is first needed, or when this
// browser already has a session whose replies should show on the badge. Everything else is in chat.ts.
import launcherCss from './launcher.css?inline'
import { hasStoredSession, readOpen } from './stored-session.ts'
import type { Chat, Shell } from './types.ts'
import { launcherWords } from './words.ts'

const hostId = 'foyer-chat'
const badgeMax = 9
const phoneQuery = '(max-width: 480px)'
const svgNamespace = 'http://www.w3.org/2000/svg'

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
  let isOpen = false
  const shell: Shell = {
    base,
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
    loading ??= fetchChat(base, script.nonce)
      .then((start) => start(shell))
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

const createLauncher = () => {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'launcher'
  button.setAttribute('aria-expanded', 'false')
  button.append(
    createIcon(
      'open',
      'M12 3.5c-5 0-9 3.4-9 7.7 0 2.4 1.3 4.6 3.3 6l-.6 3.3 3.6-1.9c.9.2 1.8.3 2.7.3 5 0 9-3.4 9-7.7s-4-7.7-9-7.7Z',
    ),
    createIcon('close', 'm6 9.5 6 6 6-6'),
  )
  const badge = document.createElement('span')
  badge.className = 'badge'
  badge.hidden = true
  badge.setAttribute('aria-hidden', 'true')
  button.append(badge)

  let unread = 0
  let open = false
  const label = (): void => {
    const action = open ? launcherWords.close : launcherWords.open
    button.setAttribute('aria-label', unread > 0 ? `${action}, ${launcherWords.unread(unread)}` : action)
  }
  label()
  return {
    button,
    setUnread: (count: number): void => {
      unread = count
      badge.hidden = count === 0
      badge.textContent = count > badgeMax ? `${badgeMax}+` : String(count)
      label()
    },
    setOpen: (isOpen: boolean): void => {
      open = isOpen
      button.setAttribute('aria-expanded', String(isOpen))
      button.removeAttribute('title')
      label()
    },
    setBusy: (isBusy: boolean): void => {
      button.toggleAttribute('data-busy', isBusy)
    },
    setFailed: (): void => {
      button.title = launcherWords.loadFailed
      button.setAttribute('aria-label', launcherWords.loadFailed)
    },
  }
}

const createIcon = (name: string, shape: string): SVGElement => {
  const svg = document.createElementNS(svgNamespace, 'svg')
  svg.setAttribute('viewBox', '0 0 24 24')
  svg.setAttribute('aria-hidden', 'true')
  svg.setAttribute('class', name)
  const path = document.createElementNS(svgNamespace, 'path')
  path.setAttribute('d', shape)
  svg.append(path)
  return svg
}

const fetchChat = (base: string, nonce: string): Promise<(shell: Shell) => Chat> =>
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

/**
 * Accepts any CSS colour. Text on it is dark or white, and the focus ring falls back to the text colour,
 * whichever is legible.
 */
const applyAccent = (host: HTMLElement, root: ShadowRoot, color: string | undefined): void => {
  if (!color || !CSS.supports('color', color)) return
  const probe = document.createElement('span')
  probe.style.color = color
  // A child of the host itself is outside the flat tree and has no computed style.
  root.append(probe)
  const channels = getComputedStyle(probe).color.match(/^rgb\((\d+), (\d+), (\d+)\)$/)
  probe.remove()
  if (!channels) return
  const [red = 0, green = 0, blue = 0] = channels.slice(1).map((channel) => linear(Number(channel) / 255))
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
  const set = (name: string, value: string) => host.style.setProperty(name, value)
  set('--foyer-accent', color)
  set('--foyer-on-accent', luminance > 0.36 ? '#14161a' : '#fff')
  if (luminance > 0.3) set('--foyer-ring-light', '#16181d')
  if (luminance < 0.13) set('--foyer-ring-dark', '#b9c0cc')
}

const linear = (channel: number): number =>
  channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4

const ownScript =
  (document.currentScript as HTMLScriptElement | null) ??
  document.querySelector<HTMLScriptElement>('script[data-channel][src*="/widget.js"]')

if (ownScript) {
  if (document.body) loadWidget(ownScript)
  else addEventListener('DOMContentLoaded', () => loadWidget(ownScript), { once: true })
}
