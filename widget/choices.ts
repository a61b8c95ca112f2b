// The options below a message, as buttons. All stay usable: what an old button does is decided by the server.
import { createIcon, element } from './element.ts'
import type { Bubble } from './thread.ts'
import type { Choice } from './types.ts'
import { plural, words } from './words.ts'

/** Longer lists show their first options, the chosen one and a button for the rest. */
const listMax = 8
const shownFirst = 6
/** A double click, or a key that is held down, is one tap. */
const sameTapMs = 1_000

export type ChoiceActions = { choose: (choice: Choice, title: string) => void }

export const renderChoices = ({ id, options, chosen, isAnswered }: Bubble, { choose }: ChoiceActions) => {
  const isCards = options.some(({ description }) => description)
  const buttons = options.map(({ number, title, description }) => {
    const mark = createIcon('m5 12.5 4.5 4.5L19 7.5')
    mark.classList.add('option-mark')
    const button = element('button', { type: 'button', class: 'option', dir: 'auto' }, [
      mark,
      element('span', { class: 'option-title' }, title),
    ])
    if (description) button.append(element('span', { class: 'option-about' }, description))
    if (number === chosen) button.setAttribute('aria-current', 'true')
    let tappedAt = -sameTapMs
    button.addEventListener('click', ({ timeStamp }) => {
      const isSameTap = timeStamp - tappedAt < sameTapMs
      tappedAt = timeStamp
      if (!isSameTap && id !== null) choose({ messageId: id, number }, title)
    })
    return button
  })
  const node = element(
    'div',
    {
      class: ['choices', isCards ? 'cards' : '', isAnswered ? 'answered' : ''].join(' '),
      role: 'group',
      'aria-label': words.options,
    },
    buttons,
  )
  const rest = buttons.filter((_, index) => index >= shownFirst && options[index]?.number !== chosen)
  if (options.length > listMax) node.append(createMore(rest))
  return node
}

const createMore = (rest: HTMLButtonElement[]): HTMLButtonElement => {
  const more = element('button', { type: 'button', class: 'more' }, plural(words.more, rest.length))
  for (const button of rest) button.hidden = true
  more.addEventListener('click', () => {
    for (const button of rest) button.hidden = false
    more.remove()
    rest[0]?.focus()
  })
  return more
}

/** Marks what was chosen and leaves the buttons alone, so that focus stays and nothing is announced again. */
export const updateChoices = (node: Element, next: Element): void => {
  node.className = next.className
  const wanted = next.querySelectorAll('.option')
  node.querySelectorAll('.option').forEach((button, index) => {
    const isChosen = wanted[index]?.hasAttribute('aria-current')
    if (isChosen) button.setAttribute('aria-current', 'true')
    else button.removeAttribute('aria-current')
  })
}
