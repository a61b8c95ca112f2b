// One row of the thread as elements.
import { type ChoiceActions, renderChoices, updateChoices } from './choices.ts'
import { createIcon, element } from './element.ts'
import { initialOf } from './initial.ts'
import type { Row } from './rows.ts'
import { createLink, isSafeAddress, toTextNodes } from './text-nodes.ts'
import type { Bubble } from './thread.ts'
import type { Attachment } from './types.ts'
import { words } from './words.ts'

export type RowActions = ChoiceActions & {
  retry: (clientId: string) => void
  remove: (clientId: string) => void
}

/** Image types that browsers display without running anything; SVG is not one of them. */
const pictureTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif']

export const renderRow = (row: Row, base: string, actions: RowActions): HTMLElement => {
  if (row.kind !== 'bubble') {
    return element('div', { class: row.kind, role: row.kind === 'day' ? 'separator' : 'note' }, [
      element('span', {}, row.text),
    ])
  }
  const { bubble, isFirst, isLast, meta } = row
  const isOwn = bubble.senderType === 'customer'
  const name = nameOf(bubble)
  const content = element('div', { class: 'content' }, [
    element(
      'span',
      { class: isFirst && !isOwn ? 'name' : 'name hidden', dir: 'auto' },
      isOwn ? words.you : name,
    ),
  ])
  if (bubble.body) content.append(element('div', { class: 'bubble', dir: 'auto' }, toTextNodes(bubble.body)))
  if (bubble.byEmail === 'hidden')
    content.append(element('div', { class: 'bubble quiet' }, words.byEmailHidden))
  for (const attachment of bubble.attachments) content.append(renderAttachment(attachment, base))
  if (bubble.reaction) content.append(element('span', { class: 'reaction' }, bubble.reaction))
  if (meta) content.append(renderMeta(bubble, meta, actions))

  const node = element('div', {
    class: [
      'message',
      isOwn ? 'own' : 'other',
      isFirst ? 'first' : '',
      isLast ? 'last' : '',
      bubble.options.length > 0 ? 'asks' : '',
      bubble.state,
    ].join(' '),
  })
  if (!isOwn) {
    if (bubble.id !== null) node.dataset.toVisitor = bubble.id
    node.append(element('span', { class: 'avatar', 'aria-hidden': 'true' }, isLast ? initialOf(name) : ''))
  }
  node.append(content)
  if (bubble.options.length > 0) node.append(renderChoices(bubble, actions))
  return node
}

/**
 * Updates what can change (state, time, position in a group) and leaves the text alone, so that screen
 * readers don't repeat the message and a selection in it survives.
 */
export const updateRow = (node: HTMLElement, next: HTMLElement): void => {
  node.className = next.className
  for (const part of ['.name', '.avatar', '.reaction', '.meta']) {
    const before = node.querySelector(part)
    const after = next.querySelector(part)
    if (before && after && before.isEqualNode(after)) continue
    if (before && after) before.replaceWith(after)
    else if (after)
      node
        .querySelector('.content')
        ?.insertBefore(after, part === '.meta' ? null : node.querySelector('.meta'))
    else before?.remove()
  }
  const choices = node.querySelector('.choices')
  const nextChoices = next.querySelector('.choices')
  if (choices && nextChoices) updateChoices(choices, nextChoices)
}

const nameOf = (bubble: Bubble): string =>
  bubble.nickname || (bubble.senderType === 'automation' ? words.automation : words.agent)

const renderMeta = (bubble: Bubble, meta: string, actions: RowActions): HTMLElement => {
  const line = element('p', { class: 'meta' }, meta)
  const { key, state } = bubble
  if (state === 'failed') {
    const retry = element('button', { type: 'button' }, words.tryAgain)
    const remove = element('button', { type: 'button' }, words.remove)
    retry.addEventListener('click', () => actions.retry(key))
    remove.addEventListener('click', () => actions.remove(key))
    line.append(' ', retry, ' ', remove)
  }
  return line
}

const renderAttachment = (attachment: Attachment, base: string): HTMLElement => {
  const name = attachment.name || words.unnamedFile
  const address = attachment.url === null ? '' : resolveAddress(attachment.url, base)
  if (address === '') return element('span', { class: 'file', dir: 'auto' }, name)
  const isPicture = attachment.mimeType !== null && pictureTypes.includes(attachment.mimeType)
  return isPicture
    ? renderPicture(address, name, attachment.size)
    : renderFile(address, name, attachment.size)
}

const renderPicture = (address: string, name: string, size: number | null): HTMLElement => {
  const link = createLink(address, '')
  link.className = 'picture'
  const picture = element('img', { src: address, alt: name, loading: 'lazy', referrerpolicy: 'no-referrer' })
  picture.addEventListener('error', () => link.replaceWith(renderFile(address, name, size)))
  link.append(picture)
  return link
}

const renderFile = (address: string, name: string, size: number | null): HTMLElement => {
  const link = createLink(address, '')
  link.className = 'file'
  link.append(
    createIcon('M13 3H7a2 2 0 0 0-2 2v14a2 2 0 0 0 2 2h10a2 2 0 0 0 2-2V9l-6-6Zm0 0v6h6'),
    element('span', { class: 'file-name', dir: 'auto' }, name),
    element('span', { class: 'file-size' }, size === null ? '' : describeSize(size)),
  )
  return link
}

const resolveAddress = (url: string, base: string): string => {
  try {
    const { href } = new URL(url, base)
    return isSafeAddress(href) ? href : ''
  } catch {
    return ''
  }
}

const describeSize = (bytes: number): string => {
  if (bytes < 1_000) return `${bytes} B`
  if (bytes < 1_000_000) return `${Math.round(bytes / 1_000)} kB`
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}
