// The button that opens the chat, with the count of unread messages.
const badgeMax = 9
const svgNamespace = 'http://www.w3.org/2000/svg'

/** What the button says until its own language is loaded; words/en.json has the same. */
export const englishLauncher = {
  open: 'Open chat',
  close: 'Close chat',
  unread: { one: '{n} unread message', other: '{n} unread messages' },
  loadFailed: 'Couldn’t load the chat. Try again.',
}
export type LauncherWords = typeof englishLauncher

export const createLauncher = () => {
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
  const text = document.createElement('span')
  text.className = 'label'
  text.dir = 'auto'
  button.append(text, badge)

  let words = englishLauncher
  let language = 'en'
  let unread = 0
  let open = false
  const label = (): void => {
    const action = open ? words.close : text.textContent || words.open
    button.setAttribute(
      'aria-label',
      unread > 0 ? `${action}, ${describeUnread(words, language, unread)}` : action,
    )
  }
  label()
  return {
    button,
    setWords: (loaded: LauncherWords, loadedLanguage: string): void => {
      words = loaded
      language = loadedLanguage
      label()
    },
    /** Beside the icon, and its name while the chat is closed. */
    setText: (given: string | null): void => {
      text.textContent = given
      button.classList.toggle('labelled', Boolean(given))
      label()
    },
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
      button.title = words.loadFailed
      button.setAttribute('aria-label', words.loadFailed)
    },
  }
}

const describeUnread = ({ unread }: LauncherWords, language: string, count: number): string => {
  const forms: Record<string, string> = unread
  const form = forms[new Intl.PluralRules(language).select(count)] ?? unread.other
  return form.replace('{n}', new Intl.NumberFormat(language).format(count))
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
