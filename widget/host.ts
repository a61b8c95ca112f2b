// The element that the chat box adds to the page, with a shadow root that the page's styles don't reach.
import { applyAccent } from './accent.ts'
import { directionOf, type Language } from './languages.ts'
import launcherCss from './launcher.css?inline'
import { createLauncher } from './launcher.ts'
import type { Settings } from './settings.ts'

export const hostId = 'foyer-chat'

export const createHost = () => {
  const host = document.createElement('div')
  host.id = hostId
  const root = host.attachShadow({ mode: 'open' })
  const launcher = createLauncher()
  root.append(launcher.button)
  /** Constructed style sheets are allowed by a host page's style-src policy; a <style> element would not be. */
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
  // Until it is known where it belongs.
  launcher.button.hidden = true
  document.body.append(host)
  let theme: Settings['theme'] = 'auto'
  const scheme = matchMedia('(prefers-color-scheme: dark)')
  const setTheme = (): void => {
    host.toggleAttribute('data-dark', theme === 'dark' || (theme === 'auto' && scheme.matches))
  }
  scheme.addEventListener('change', setTheme)
  return {
    host,
    root,
    launcher,
    addStyle,
    setLanguage: (language: Language, { side }: Settings): void => {
      host.lang = language
      host.dir = directionOf(language)
      host.dataset.side = side === 'auto' ? (host.dir === 'rtl' ? 'left' : 'right') : side
    },
    setLook: (settings: Settings): void => {
      applyAccent(host, root, settings.color)
      launcher.setText(settings.launcherLabel)
      theme = settings.theme
      setTheme()
    },
  }
}
