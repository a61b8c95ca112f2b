// How each kind of message looks in the thread.
import { type Entry, mediaUrl } from './control-client.ts'
import { element, type Icon, icon } from './element.ts'
import { formatText } from './format-text.ts'
import { timeOf } from './store.ts'

export type Actions = {
  /** What the app that is open lets people do with a message. */
  can: () => { canReact: boolean; canQuote: boolean; canEdit: boolean }
  edit: (entry: Entry) => void
  tap: (entry: Entry, choice: string) => void
  react: (entry: Entry, emoji: string) => void
  quote: (entry: Entry) => void
  find: (id: string) => Entry | undefined
}

export const REACTIONS = ['👍', '❤️', '😂', '😮', '🙏']

export const bubble = (entry: Entry, actions: Actions): HTMLElement => {
  const isMine = entry.from === 'customer'
  const hasFailed = entry.status === 'failed'
  const quoted = entry.replyTo ? actions.find(entry.replyTo) : undefined
  return element(
    'article',
    {
      class: `row ${isMine ? 'mine' : 'theirs'}${hasFailed ? ' failed' : ''}`,
      'data-id': entry.id,
      'data-status': entry.status,
      'data-type': entry.type,
    },
    element(
      'div',
      { class: 'stack' },
      element(
        'div',
        { class: `bubble type-${entry.type}` },
        quoted && quote(quoted),
        ...contentOf(entry),
        foot(entry),
      ),
      hasFailed &&
        element(
          'p',
          { class: 'reason' },
          icon('warning'),
          `Never arrived here: ${entry.error?.title ?? 'unknown error'} (${entry.error?.code})`,
        ),
      reactionsOf(entry),
      buttonsOf(entry, actions),
    ),
    !hasFailed && sideActions(entry, actions),
  )
}

const quote = (entry: Entry): HTMLElement =>
  element(
    'blockquote',
    {},
    element('b', {}, entry.from === 'customer' ? 'You' : 'Business'),
    element('span', { dir: 'auto' }, previewOf(entry)),
  )

/** One line that stands for the message in the list of chats. */
export const previewOf = ({ type, content }: Entry): string => {
  const said =
    content.text ?? content.caption ?? (typeof content.body === 'string' ? content.body : undefined)
  const kind: Record<string, string> = {
    image: 'Picture',
    video: 'Video',
    audio: 'Voice message',
    document: content.fileName ?? 'Document',
    sticker: 'Sticker',
    location: content.name ? `Location: ${content.name}` : 'Location',
    contacts: 'Contact card',
    unsupported: 'A message of another kind',
  }
  return said ?? kind[type] ?? type
}

const contentOf = ({ type, content }: Entry): (Node | string | false | null)[] => {
  const words = (text: string | undefined, name = 'text') =>
    text ? element('div', { class: name, dir: 'auto' }, ...formatText(text)) : null
  switch (type) {
    case 'text':
    case 'button':
      return [words(content.text)]
    case 'interactive':
      return [
        words(content.header, 'title'),
        words(content.body ?? content.text),
        words(content.description ?? content.footer, 'small'),
      ]
    case 'template':
      return [headerOf(content.header), words(content.body), words(content.footer, 'small')]
    case 'image':
    case 'sticker':
      return [picture(content, type), words(content.caption)]
    case 'video':
      return [placeholder('play', content.caption ?? 'Video', sourceOf(content))]
    case 'audio':
      return [placeholder('play', 'Voice message', sourceOf(content))]
    case 'document':
      return [placeholder('file', content.fileName ?? 'Document', sourceOf(content)), words(content.caption)]
    case 'location':
      return [map(content)]
    case 'contacts':
      return content.contacts.map(
        (contact: { name?: { formatted_name?: string }; phones?: { phone?: string }[] }) =>
          placeholder(
            'person',
            contact.name?.formatted_name ?? 'Contact',
            undefined,
            contact.phones?.map(({ phone }) => phone).join(', '),
          ),
      )
    case 'unsupported':
      return [element('i', { class: 'text' }, 'A message of a kind that the business cannot see')]
    default:
      return [element('code', {}, JSON.stringify(content.raw ?? content))]
  }
}

type Source = { mediaId?: string; id?: string; link?: string }
const sourceOf = ({ mediaId, id, link }: Source): string | undefined =>
  link ?? (mediaId || id ? mediaUrl((mediaId ?? id)!) : undefined)

const picture = (content: Source, type: string): HTMLElement => {
  const frame = element('div', { class: `picture ${type}` })
  const source = sourceOf(content)
  const image = element('img', { src: source, alt: 'Picture', loading: 'lazy' })
  image.addEventListener('error', () => {
    frame.classList.add('missing')
    frame.replaceChildren(icon('picture'), element('span', {}, source ?? 'Picture'))
  })
  frame.append(image)
  return frame
}

const headerOf = (
  header: (Source & { format: string; text?: string; filename?: string }) | null,
): HTMLElement | null => {
  if (!header) return null
  if (header.format === 'text') return element('div', { class: 'title', dir: 'auto' }, header.text ?? '')
  if (header.format === 'image') return picture(header, 'image')
  if (header.format === 'location') return map(header as unknown as Place)
  return placeholder(
    header.format === 'video' ? 'play' : 'file',
    header.filename ?? (header.format === 'video' ? 'Video' : 'Document'),
    sourceOf(header),
  )
}

const placeholder = (name: Icon, title: string, href?: string, more?: string): HTMLElement => {
  const inside = [
    element('span', { class: 'disc' }, icon(name)),
    element(
      'span',
      { class: 'lines' },
      element('b', { dir: 'auto' }, title),
      more && element('small', {}, more),
    ),
  ]
  return href
    ? element('a', { class: 'card', href, target: '_blank', rel: 'noopener noreferrer nofollow' }, ...inside)
    : element('div', { class: 'card' }, ...inside)
}

type Place = { latitude: number; longitude: number; name?: string; address?: string }
const map = ({ latitude, longitude, name, address }: Place): HTMLElement =>
  element(
    'div',
    { class: 'place' },
    element('div', { class: 'map', 'aria-hidden': true }, icon('pin')),
    name && element('b', { dir: 'auto' }, name),
    element('small', {}, address ?? `${latitude}, ${longitude}`),
  )

const TICKS: Record<string, { name: Icon; says: string }> = {
  accepted: { name: 'clock', says: 'accepted' },
  sent: { name: 'tick', says: 'sent' },
  delivered: { name: 'ticks', says: 'delivered' },
  read: { name: 'ticks', says: 'read' },
  failed: { name: 'warning', says: 'failed' },
}

const foot = (entry: Entry): HTMLElement => {
  const state =
    entry.from === 'customer' ? (entry.isReadByBusiness ? 'read' : 'delivered') : (entry.status ?? 'accepted')
  const { name, says } = TICKS[state]!
  return element(
    'footer',
    { class: `foot ${state}` },
    element('time', { datetime: new Date(entry.atMs).toISOString() }, timeOf(entry.atMs)),
    icon(name, says),
  )
}

type ShownButton = {
  type?: string
  id?: string
  text?: string
  title?: string
  url?: string
  payload?: string
  phoneNumber?: string
}
type Section = { title?: string; rows: { id: string; title: string; description?: string }[] }

const buttonsOf = (entry: Entry, actions: Actions): HTMLElement | null => {
  if (entry.from === 'customer' || entry.status === 'failed') return null
  const {
    buttons = [],
    sections,
    listLabel,
  } = entry.content as {
    buttons?: ShownButton[]
    sections?: Section[]
    listLabel?: string
  }
  if (sections) return listOf(entry, listLabel ?? 'Choose', sections, actions)
  if (buttons.length === 0) return null
  return element('div', { class: 'buttons' }, ...buttons.map((button) => buttonOf(entry, button, actions)))
}

const buttonOf = (entry: Entry, button: ShownButton, actions: Actions): HTMLElement => {
  const label = button.text ?? button.title ?? ''
  const isTap = button.type === 'QUICK_REPLY' || (button.id !== undefined && !button.url)
  if (button.url && /^https?:/.test(button.url))
    return element(
      'a',
      { href: button.url, target: '_blank', rel: 'noopener noreferrer nofollow', title: button.url },
      icon('link'),
      label,
    )
  const name: Icon = button.type === 'COPY_CODE' ? 'copy' : button.phoneNumber ? 'phone' : 'reply'
  return element(
    'button',
    {
      type: 'button',
      disabled: !isTap && button.type !== 'COPY_CODE',
      on: {
        click: () => {
          if (isTap) actions.tap(entry, button.id ?? label)
          else void navigator.clipboard?.writeText(button.payload ?? '')
        },
      },
    },
    icon(name),
    label,
  )
}

const listOf = (entry: Entry, label: string, sections: Section[], actions: Actions): HTMLElement =>
  element(
    'details',
    { class: 'buttons' },
    element('summary', {}, icon('list'), label),
    ...sections.flatMap(({ title, rows }) => [
      title ? element('h4', {}, title) : null,
      ...rows.map((row) =>
        element(
          'button',
          { type: 'button', class: 'choice', on: { click: () => actions.tap(entry, row.id) } },
          element('b', {}, row.title),
          row.description && element('small', {}, row.description),
        ),
      ),
    ]),
  )

const reactionsOf = ({ reactions }: Entry): HTMLElement | null => {
  const given = [reactions.customer, reactions.business].filter(Boolean)
  return given.length > 0 ? element('span', { class: 'reactions' }, given.join(' ')) : null
}

const sideActions = (entry: Entry, actions: Actions): HTMLElement | null => {
  const { canReact, canQuote, canEdit } = actions.can()
  const isMine = entry.from === 'customer'
  const offered = isMine
    ? [canEdit && entry.type === 'text' && sideButton('edit', 'Edit', () => actions.edit(entry))]
    : [
        canReact && reactMenu(entry, actions),
        canQuote && sideButton('reply', 'Reply', () => actions.quote(entry)),
      ]
  const shown = offered.filter((node) => node instanceof HTMLElement)
  return shown.length > 0 ? element('div', { class: 'side' }, ...shown) : null
}

const sideButton = (name: Icon, label: string, work: () => void): HTMLElement =>
  element('button', { type: 'button', 'aria-label': label, on: { click: work } }, icon(name))

const reactMenu = (entry: Entry, { react }: Actions): HTMLElement => {
  const menu = element('details', { class: 'react' })
  const choose = (emoji: string) => {
    menu.open = false
    react(entry, entry.reactions.customer === emoji ? '' : emoji)
  }
  menu.append(
    element('summary', { 'aria-label': 'React' }, icon('smile')),
    element(
      'div',
      { class: 'emoji' },
      ...REACTIONS.map((emoji) =>
        element(
          'button',
          {
            type: 'button',
            'aria-label': `React with ${emoji}`,
            'aria-pressed': entry.reactions.customer === emoji,
            on: { click: () => choose(emoji) },
          },
          emoji,
        ),
      ),
    ),
  )
  return menu
}
