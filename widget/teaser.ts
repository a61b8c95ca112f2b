// The newest unread message above the launcher while the panel is closed. Dismissing it keeps the badge.
import { createIcon, element } from './element.ts'
import type { Message, Shell } from './types.ts'
import { words } from './words.ts'

const textMax = 200

export const createTeaser = (shell: Shell, onOpen: () => void) => {
  const name = element('span', { class: 'teaser-name', dir: 'auto' })
  const text = element('span', { class: 'teaser-text', dir: 'auto' })
  const openButton = element('button', { type: 'button', class: 'teaser-open' }, [name, text])
  const dismissButton = element(
    'button',
    { type: 'button', class: 'icon-button', 'aria-label': words.dismiss },
    [createIcon('M6 6l12 12M18 6 6 18')],
  )
  const teaser = element('div', { class: 'teaser', hidden: '' }, [openButton, dismissButton])
  // Screen readers only announce content added to an existing live region.
  const region = element('div', { role: 'status' }, [teaser])
  shell.root.insertBefore(region, shell.launcher)

  let shownId: string | undefined
  let dismissedId: string | undefined

  openButton.addEventListener('click', onOpen)
  dismissButton.addEventListener('click', () => {
    dismissedId = shownId
    teaser.hidden = true
    shell.launcher.focus()
  })

  return {
    render: (message: Message | undefined): void => {
      teaser.hidden = message === undefined || message.id === dismissedId
      if (message === undefined || message.id === shownId) return
      shownId = message.id
      name.textContent =
        message.sender?.nickname || (message.senderType === 'automation' ? words.automation : words.agent)
      text.textContent = [...(message.choices?.text || message.body || words.attachment)]
        .slice(0, textMax)
        .join('')
    },
  }
}
