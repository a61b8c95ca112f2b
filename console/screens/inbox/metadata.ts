// A message's metadata. It is open-ended and comes from many channels: each field is validated, and unknown ones are
// ignored.
import type { Message } from '../../state/types.ts'
import { t } from '../../words/t.ts'

type Json = Record<string, unknown>
const objectOf = (value: unknown): Json | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : null
const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)
const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null)
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

export type Mail = {
  subject: string | null
  from: string | null
  to: string[]
  cc: string[]
  bcc: string[]
  date: string | null
  /** Recipients whom it has not reached, and why. */
  undelivered: { address: string; message: string }[]
  /** There is more to fetch: HTML, or text beyond the new part of the message. */
  hasHtml: boolean
  hasMore: boolean
  isAutomatic: boolean
  /** What the receiving server found out about the sender's address; null for mail from before it was stored. */
  verification: 'verified' | 'failed' | 'absent' | null
  isCut: boolean
}

export type Place = {
  latitude: number
  longitude: number
  name: string | null
  address: string | null
}
export type Card = { name: string; lines: string[] }

/** The options below a message of ours; `label` is what a customer types who has no buttons. */
export type Choices = { text: string; options: { label: string; title: string }[] }

/** `name`: of the team's member who gave it here. */
export type Reaction = {
  emoji: string
  isOurs: boolean
  name: string | null
  isQueued: boolean
  isFailed: boolean
  /** Why it was not sent, or not taken away. */
  problem: string | null
  /** What the customer still sees in its place. */
  instead: string | null
}

/** One sprint of a flow, as a line in the thread. */
export type Sprint = { runId: string; steps: number }

/** The turn that it opens to, and the titles of the articles and answers that its words are from. */
export type AiPart = { turnId: string; sources: string[] }

export type Meta = {
  error: { code: string; message: string } | null
  reactions: Reaction[]
  isEdited: boolean
  originalBody: string | null
  isDeleted: boolean
  isForwarded: boolean
  referral: string | null
  templateName: string | null
  /** The broadcast that it was a test of. */
  testOf: string | null
  problem: string | null
  place: Place | null
  cards: Card[]
  mail: Mail | null
  isBodyShownByAttachment: boolean
  /** Images within the text, which are not shown beside it. */
  inlineIds: unknown[]
  /** The flow that sent it. */
  flowName: string | null
  choices: Choices | null
  /** Whether the customer tapped an option instead of typing. */
  isTap: boolean
  sprint: Sprint | null
  /** Of what the AI agent said, or of the line that says why it handed over. */
  ai: AiPart | null
}

const addressOf = (value: unknown): string | null => {
  if (typeof value === 'string') return value
  const entry = objectOf(value)
  if (!entry) return null
  const address = textOf(entry.address) ?? textOf(entry.email)
  const name = textOf(entry.name)
  return name && address ? `${name} <${address}>` : (address ?? name)
}

const addressesOf = (value: unknown): string[] => listOf(value).flatMap((it) => addressOf(it) ?? [])

const verificationOf = ({ senderVerification, unproven }: Json): Mail['verification'] =>
  senderVerification === 'verified' || senderVerification === 'failed' || senderVerification === 'absent'
    ? senderVerification
    : unproven === true
      ? 'failed'
      : null

const mailOf = (metadata: Json): Mail | null => {
  if (!objectOf(metadata.from) && !metadata.hasHtml && !metadata.hasMore) return null
  return {
    subject: textOf(metadata.subject),
    from: addressOf(metadata.from),
    to: addressesOf(metadata.to),
    cc: addressesOf(metadata.cc),
    bcc: addressesOf(metadata.bcc),
    date: textOf(metadata.date),
    undelivered: listOf(metadata.undelivered).flatMap((it) => {
      const address = textOf(objectOf(it)?.address)
      return address ? [{ address, message: textOf(objectOf(it)?.message) ?? '' }] : []
    }),
    hasHtml: metadata.hasHtml === true,
    hasMore: metadata.hasMore === true,
    isAutomatic: Boolean(metadata.automatic),
    verification: verificationOf(metadata),
    isCut: metadata.isCut === true,
  }
}

const placeOf = (value: unknown): Place | null => {
  const place = objectOf(value)
  const latitude = numberOf(place?.latitude)
  const longitude = numberOf(place?.longitude)
  if (!place || latitude === null || longitude === null) return null
  return { latitude, longitude, name: textOf(place.name), address: textOf(place.address) }
}

const cardOf = (value: unknown): Card | null => {
  const card = objectOf(value)
  if (!card) return null
  const phones = listOf(card.phones).flatMap((it) => textOf(objectOf(it)?.phone) ?? textOf(it) ?? [])
  const emails = listOf(card.emails).flatMap((it) => textOf(objectOf(it)?.email) ?? textOf(it) ?? [])
  const name = textOf(card.name) ?? phones[0] ?? emails[0]
  return name
    ? { name, lines: [textOf(card.company), ...phones, ...emails].filter((it) => it !== null) }
    : null
}

const choicesOf = (value: unknown): Choices | null => {
  const choices = objectOf(value)
  const text = textOf(choices?.text)
  if (!choices || text === null) return null
  const from = numberOf(choices.from) ?? 0
  const options = listOf(choices.options).flatMap((it, index) => {
    const option = objectOf(it)
    const title = textOf(option?.title)
    return title === null ? [] : [{ label: String(option?.number === 0 ? 0 : from + index + 1), title }]
  })
  return { text, options }
}

const TAPS: unknown[] = ['button', 'list', 'templateButton']
const isTap = (message: Message, choice: Json | null): boolean =>
  message.senderType === 'customer' && TAPS.includes(choice?.kind) && choice?.title === message.body

const sprintOf = ({ event, runId, steps }: Json): Sprint | null => {
  const id = textOf(runId)
  return event === 'flow' && id !== null ? { runId: id, steps: numberOf(steps) ?? 0 } : null
}

/** What is only offered is among the options. The words of a hand-over open from its line. */
const aiOf = ({ senderType }: Message, ai: Json | null, choices: Choices | null): AiPart | null => {
  const turnId = textOf(ai?.turnId)
  if (!ai || turnId === null || (senderType !== 'system' && ai.handedOver)) return null
  const titles = listOf(ai.sources).flatMap((it) => textOf(objectOf(it)?.title) ?? [])
  const offered = new Set(choices?.options.map(({ title }) => title))
  return { turnId, sources: titles.filter((title) => !offered.has(title)) }
}

const reactionsOf = (value: unknown): Reaction[] =>
  listOf(value).flatMap((it) => {
    const reaction = objectOf(it)
    const emoji = textOf(reaction?.emoji)
    if (!reaction || emoji === null) return []
    return {
      emoji,
      isOurs: reaction.by === 'business',
      name: textOf(reaction.name),
      isQueued: reaction.status === 'queued',
      isFailed: reaction.status === 'failed',
      problem: textOf(objectOf(reaction.error)?.message),
      instead: textOf(reaction.instead),
    }
  })

const cache = new WeakMap<Message, Meta>()

export const metaOf = (message: Message): Meta => {
  const known = cache.get(message)
  if (known) return known
  const metadata = (message.metadata ?? {}) as Json
  const error = objectOf(metadata.error)
  const failure = objectOf(metadata.failure)
  const referral = objectOf(metadata.referral)
  const place = placeOf(metadata.location)
  const cards = listOf(metadata.contacts).flatMap((it) => cardOf(it) ?? [])
  const choices = message.senderType === 'customer' ? null : choicesOf(metadata.choices)
  const meta: Meta = {
    error: error && { code: textOf(error.code) ?? '', message: textOf(error.message) ?? t`No reason given.` },
    reactions: reactionsOf(metadata.reactions),
    isEdited: textOf(metadata.editedAt) !== null,
    originalBody: textOf(metadata.originalBody),
    isDeleted: textOf(metadata.deletedAt) !== null,
    isForwarded: metadata.forwarded === true || textOf(metadata.forwardOf) !== null,
    referral: referral && (textOf(referral.headline) ?? textOf(referral.body) ?? textOf(referral.sourceUrl)),
    templateName: textOf(objectOf(metadata.template)?.name),
    testOf:
      metadata.isBroadcastTest === true
        ? (textOf(metadata.broadcastName) ?? textOf(objectOf(metadata.template)?.name))
        : null,
    problem: failure && textOf(failure.message),
    place,
    cards,
    mail: mailOf(metadata),
    inlineIds: listOf(metadata.inlineIds),
    isBodyShownByAttachment: place !== null || cards.length > 0,
    flowName: textOf(objectOf(metadata.flow)?.name),
    choices,
    isTap: isTap(message, objectOf(metadata.choice)),
    sprint: sprintOf(metadata),
    ai: message.senderType === 'customer' ? null : aiOf(message, objectOf(metadata.ai), choices),
  }
  cache.set(message, meta)
  return meta
}
