// WhatsApp's marks in text (*bold*, _italic_, ~struck~, ```code```) and addresses as links, built as nodes.
import { element } from './element.ts'

const MARKS = [
  { pattern: /```([^`]+)```/, tag: 'code' },
  { pattern: /(?<![\w*])\*(\S(?:[^*\n]*\S)?)\*(?![\w*])/, tag: 'strong' },
  { pattern: /(?<![\w_])_(\S(?:[^_\n]*\S)?)_(?![\w_])/, tag: 'em' },
  { pattern: /(?<![\w~])~(\S(?:[^~\n]*\S)?)~(?![\w~])/, tag: 's' },
] as const
const ADDRESS = /https?:\/\/[^\s<>"']+[^\s<>"'.,;:!?)]/

export const formatText = (text: string): (Node | string)[] => {
  for (const { pattern, tag } of MARKS) {
    const found = pattern.exec(text)
    if (found)
      return [
        ...formatText(text.slice(0, found.index)),
        element(tag, {}, ...(tag === 'code' ? [found[1]!] : formatText(found[1]!))),
        ...formatText(text.slice(found.index + found[0].length)),
      ]
  }
  const link = ADDRESS.exec(text)
  if (!link) return text ? [text] : []
  return [
    text.slice(0, link.index),
    element('a', { href: link[0], target: '_blank', rel: 'noopener noreferrer nofollow' }, link[0]),
    ...formatText(text.slice(link.index + link[0].length)),
  ]
}
