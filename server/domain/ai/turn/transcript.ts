// The conversation as a model reads it: the customer's turns and ours, without what only the inbox needs to know.
import type { Picture, Turn } from '../../../../models/contract.ts'
import { cleanLine, cleanText, PART_MAX } from '../guards/clean-text.ts'
import type { Context, Spoken } from './known/context-queries.ts'
import { sourceElements } from './known/material.ts'
import type { Shown } from './known/turn-in-hand.ts'

/** Of all messages together, in characters; the oldest are left out. About 6,000 tokens. */
const ALL_MAX = 24_000

/** `facts`: of this customer and moment, a line each. `earlier`: of each earlier episode. */
export const transcriptOf = (
  { messages, channel }: Pick<Context, 'messages' | 'channel'>,
  {
    facts,
    earlier = [],
    shown,
    hide,
    pictures = NO_PICTURES,
  }: {
    facts: readonly string[]
    earlier?: readonly string[]
    shown: readonly Shown[]
    hide: (text: string) => string
    pictures?: ReadonlyMap<string, Picture>
  },
): Turn[] => {
  const bound = channel === 'email' ? PART_MAX.mail : PART_MAX.message
  const said: Turn[] = []
  let length = 0
  for (const message of messages.toReversed()) {
    const text = hide(textOf(message, bound, pictures))
    if (text === '') continue
    length += text.length
    if (length > ALL_MAX && said.length > 0) break
    const attached = message.files.flatMap(({ picture }) => (picture && pictures.get(picture.key)) || [])
    said.unshift({
      from: message.senderType === 'customer' ? 'customer' : 'us',
      text,
      ...(attached.length > 0 && { pictures: attached }),
    })
  }
  return [{ from: 'customer', text: hide(materialOf({ facts, earlier, shown })) }, ...said]
}

const materialOf = ({ facts, earlier, shown }: Material): string =>
  [
    `<facts>\n${facts.join('\n')}\n</facts>`,
    ...(earlier.length === 0
      ? []
      : [`<earlier>\nBefore this conversation was opened again:\n${earlier.join('\n')}\n</earlier>`]),
    `<sources>\n${shown.length > 0 ? sourceElements(shown) : 'None were found.'}\n</sources>`,
  ].join('\n')

type Material = { facts: readonly string[]; earlier: readonly string[]; shown: readonly Shown[] }

const NO_PICTURES: ReadonlyMap<string, Picture> = new Map()

const textOf = (
  { senderType, body, metadata, files }: Spoken,
  bound: number,
  pictures: ReadonlyMap<string, Picture>,
): string => {
  const words = cleanText(body, bound)
  const names = files.map(
    ({ type, name, picture }) =>
      `[${type}: ${cleanLine(name)}${picture && pictures.has(picture.key) ? ', attached' : ''}]`,
  )
  const text = [words, ...names].filter((part) => part !== '').join('\n')
  if (text === '') return ''
  // What a person wrote isn't the model's own, which it might otherwise take back.
  return senderType === 'agent' && !metadata?.ai ? `[A colleague wrote:] ${text}` : text
}

/** The customer's own words in this episode. */
export const customerTexts = ({ messages }: Context): string[] =>
  messages.filter(({ senderType }) => senderType === 'customer').map(({ body }) => body)

const LAST_REPLIES = 3

/** The newest first. */
export const lastReplies = ({ messages }: Context): string[] =>
  messages
    .filter(({ senderType }) => senderType !== 'customer')
    .map(({ body }) => body)
    .slice(-LAST_REPLIES)
    .toReversed()
