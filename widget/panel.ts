// The panel's elements: header, thread, composer. It renders what it is given and reports what the visitor
// does; text from people is only ever set as text.
import { createComposer, type Draft } from './composer.ts'
import type { ConnectionState } from './connection.ts'
import { createCover } from './cover.ts'
import { createIcon, element } from './element.ts'
import { initialOf } from './initial.ts'
import panelCss from './panel.css?inline'
import { describePresence } from './presence.ts'
import { createThreadView, type ThreadActions } from './thread-view.ts'
import { acceptDrops } from './tray.ts'
import type { Choice, Shell } from './types.ts'
import { words } from './words.ts'

/** Shorter interruptions are not shown. */
const bannerDelayMs = 1_500

export type Panel = ReturnType<typeof createPanel>

/** Whether a reply makes a sound in this browser. */
type Sound = { isOn: () => boolean; set: (isOn: boolean) => void }

type Actions = Draft & { sound: Sound } & Omit<ThreadActions, 'choose'> & {
    /** False: too much is waiting to be sent. */
    choose: (choice: Choice, title: string) => boolean
  }

export const createPanel = (shell: Shell, actions: Actions, onClose: () => void) => {
  shell.addStyle(panelCss)
  const header = createHeader(shell, actions.sound, onClose)
  const banner = createBanner()
  const choose = (...tap: Parameters<Actions['choose']>): void => {
    if (!actions.choose(...tap)) composer.showFull()
  }
  const thread = createThreadView(shell, { ...actions, choose }, () => composer.focus())
  const acceptsFiles = shell.settings.acceptsFiles === true
  const composer = createComposer(actions, acceptsFiles, thread.scrollToBottom)
  const panel = element(
    'section',
    { class: 'panel', role: 'dialog', 'aria-labelledby': 'foyer-title', hidden: '' },
    [header.node, banner.node, thread.node, composer.form],
  )
  composer.form.inert = shell.isPreview
  if (acceptsFiles && !shell.isPreview) acceptDrops(panel, composer.tray)
  shell.root.prepend(panel)
  const cover = createCover(panel, shell)

  panel.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      event.preventDefault()
      onClose()
    } else if (event.key === 'Tab') cover.keepFocusInside(event)
  })
  shell.launcher.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !panel.hidden) onClose()
  })
  // The host page sees key events from a plain div, so its shortcuts would fire while someone is typing.
  for (const type of ['keydown', 'keypress', 'keyup'] as const) {
    panel.addEventListener(type, (event) => event.stopPropagation())
  }

  return {
    render: thread.render,
    setTyping: thread.setTyping,
    setPresence: (isOnline: boolean): void => {
      header.setPresence(isOnline)
      thread.setPresence(isOnline)
    },
    setConnection: (state: ConnectionState): void => {
      banner.show(state)
      if (state === 'connected') thread.reportSeen()
      if (state === 'unavailable') {
        thread.disable()
        composer.disable()
      }
    },
    open: (takesFocus: boolean): void => {
      cover.open()
      composer.update()
      thread.scrollToBottom()
      if (takesFocus && !composer.focus()) header.focus()
      thread.reportSeen()
    },
    close: cover.close,
    prefill: composer.setText,
    /** For another visitor. */
    startOver: (draft: string): void => {
      thread.setTyping(null)
      thread.startOver()
      banner.show('connected')
      composer.tray.clear()
      composer.setText(draft)
    },
  }
}

const createHeader = ({ settings }: Shell, sound: Sound, onClose: () => void) => {
  const presence = element('p', { class: 'presence' }, describePresence(null, settings, new Date()))
  const closeButton = element('button', { type: 'button', class: 'icon-button', 'aria-label': words.close }, [
    createIcon('M6 6l12 12M18 6 6 18'),
  ])
  closeButton.addEventListener('click', onClose)
  const title = element('h2', { id: 'foyer-title', dir: 'auto' }, settings.title || words.title)
  const mark = createIcon(
    'M12 4c-4.7 0-8.5 3.2-8.5 7.2 0 2.3 1.2 4.3 3.1 5.6l-.6 3.2 3.5-1.8c.8.2 1.6.2 2.5.2 4.7 0 8.5-3.2 8.5-7.2S16.7 4 12 4Z',
  )
  return {
    node: element('header', {}, [
      settings.team.length > 0
        ? createTeam(settings.team)
        : element('span', { class: 'mark', 'aria-hidden': 'true' }, [mark]),
      element('div', { class: 'titles' }, [title, presence]),
      ...(settings.hasSound ? [createSoundSwitch(sound)] : []),
      closeButton,
    ]),
    focus: (): void => closeButton.focus({ preventScroll: true }),
    setPresence: (isOnline: boolean): void => {
      presence.textContent = describePresence(isOnline, settings, new Date())
      presence.dataset.online = String(isOnline)
    },
  }
}

const bell = 'M18 8.5a6 6 0 0 0-12 0c0 6-2.5 7.5-2.5 7.5h17S18 14.5 18 8.5M10.3 20a2 2 0 0 0 3.4 0'

const createSoundSwitch = ({ isOn, set }: Sound): HTMLElement => {
  const button = element('button', { type: 'button', class: 'icon-button sound' })
  const show = (): void => {
    const label = isOn() ? words.soundOff : words.soundOn
    button.setAttribute('aria-label', label)
    button.title = label
    button.replaceChildren(createIcon(isOn() ? bell : `${bell}M4 4l16 16`))
  }
  button.addEventListener('click', () => {
    set(!isOn())
    show()
  })
  show()
  return button
}

const createTeam = (team: string[]): HTMLElement =>
  element(
    'div',
    { class: 'team', role: 'img', 'aria-label': `${words.team}: ${team.join(', ')}` },
    team.map((name) => element('span', { title: name, 'aria-hidden': 'true' }, initialOf(name))),
  )

const createBanner = () => {
  const node = element('p', { class: 'banner', role: 'status', hidden: '' })
  let timer: ReturnType<typeof setTimeout> | undefined
  const showText = (text: string): void => {
    node.textContent = text
    node.hidden = false
  }
  return {
    node,
    show: (state: ConnectionState): void => {
      if (state === 'connected' || state === 'unavailable') {
        clearTimeout(timer)
        timer = undefined
        if (state === 'connected') node.hidden = true
        else showText(words.unavailable)
      } else timer ??= setTimeout(() => showText(words.connectionLost), bannerDelayMs)
    },
  }
}
