// What a model is given for a turn: gathered from rows of this contact and workspace, cleaned, and without what no
// provider may see.
import type { Picture, Turn } from '../../../../models/contract.ts'
import type { Ctx } from '../../../platform/ctx/ctx.ts'
import type { ChannelName, Guidance, GuidanceRule } from '../../../platform/db/tables.ts'
import { MESSAGE_BODY_MAX } from '../../conversations/schema.ts'
import { maskAddress } from '../../identity-codes/code.ts'
import type { KnowledgeMatch } from '../../knowledge/schema.ts'
import type { Known } from '../checks/check-reply.ts'
import { TEAM } from '../checks/team.ts'
import { cleanLine, cleanText, PART_MAX } from '../guards/clean-text.ts'
import { makeRedaction, type Redaction } from '../guards/redact.ts'
import type { LiveGuidance } from '../guidance/find-guidance.ts'
import { fittingRules } from '../guidance/fitting-rules.ts'
import { type Identity, identityOf } from '../identity/identity.ts'
import { isOpenAt } from '../may-reply.ts'
import { describeAction } from '../proposals/proposal.ts'
import type { RecentAction } from '../proposals/queries.ts'
import type { Search, Task } from '../think.ts'
import { END_TURN } from './final-tool.ts'
import type { Context } from './known/context-queries.ts'
import { earlierTexts, episodeLines } from './known/earlier-episodes.ts'
import { show, type TurnInHand } from './known/turn-in-hand.ts'
import { FIXED, systemPrompt } from './system-prompt.ts'
import { offeredTools } from './tools/offered-tools.ts'
import type { AiTool } from './tools/tool.ts'
import { customerTexts, lastReplies, transcriptOf } from './transcript.ts'

/** How a rejected reply is returned to the model; nobody else reads it. */
export const REJECTED = 'This can’t be sent as it is.'
/** Longer replies are no chat. */
const REPLY_MAX = 1_500
const MAIL_MAX = 4_000
/** For what code adds: the introduction, buttons as text. */
const ROOM = 500
/** Of what an action returned that was done earlier. */
const RESULT_MAX = 2_000

export type Prepared = {
  turn: TurnInHand
  redaction: Redaction
  system: string
  turns: readonly Turn[]
  /** The same without pictures, for a provider that refuses one of them; null if there are none. */
  plainTurns: readonly Turn[] | null
  tools: readonly AiTool[]
  customerKey: string
  /** ISO 639-1, of the reply; null: the customer's, whichever it is. */
  language: string | null
  /** Only what needs no reply may get none. */
  mayStaySilent: boolean
  hasMissed: boolean
  task: Task | null
  /** What was wrong with its replies: for the model only. */
  rejections: string[]
  /** As of now: tools add to it. */
  known: () => Known
}

export type Usable = Pick<TurnInHand, 'tags' | 'flows' | 'actions' | 'codeAddress'>

type Given = {
  conversationId: string
  context: Context
  live: LiveGuidance
  /** What the guidance names and still exists. */
  usable: Usable
  matches: readonly KnowledgeMatch[]
  search: Search
  task: Task | null
  language: string | null
  mayStaySilent: boolean
  hasMissed: boolean
  isDraft: boolean
  /** What the customer sent that the model may see, by the key of the file. */
  pictures?: ReadonlyMap<string, Picture>
}

export const prepareTurn = (ctx: Ctx, given: Given): Prepared => {
  const { conversationId, context, live, usable, matches, search, task, mayStaySilent, hasMissed, isDraft } =
    given
  const { guidance } = live
  const now = ctx.now().getTime()
  const language = replyLanguage(guidance.languages, given.language)
  const isOpen = isOpenAt(context.hours, now)
  const rules = fittingRules(guidance, {
    channel: context.channel,
    country: context.country,
    language: given.language,
    tagIds: context.tags.map(({ id }) => id),
    isOpen,
  })
  const turn: TurnInHand = {
    ctx,
    conversationId,
    context,
    guidance,
    identity: identityOf(context, now),
    search,
    ...usable,
    shown: [],
    effects: [],
    proposal: null,
    wantsCode: false,
    facts: [],
    searches: 0,
  }
  const redaction = makeRedaction({ contacts: context.hidesContacts })
  const facts = factsOf(context, { now, isOpen, identity: turn.identity })
  const canary = canaryOf(ctx, conversationId)
  const lengthMax = lengthOf(ctx, context.channel)
  const shown = show(turn, matches)
  const rejections: string[] = []
  const tools = offeredTools(turn, { isDraft, task })
  const system = systemPrompt({ context, guidance, rules, task, language, lengthMax, canary, isDraft })
  const turns = turnsOf(given, {
    facts: [...facts.circumstances, ...facts.ours, ...facts.theirs],
    earlier: episodeLines(context.episodes, timeZoneOf(context)),
    shown,
    hide: redaction.hide,
  })
  return {
    turn,
    redaction,
    system,
    ...turns,
    tools,
    customerKey: ctx.seal.sign('model customer', context.contactId),
    language,
    mayStaySilent,
    hasMissed,
    task,
    rejections,
    known: () => ({
      sources: [
        ...turn.shown.map(({ ref, source: { title, text, url, language } }) => ({
          id: ref,
          text: `${title}\n${text}`,
          url,
          language,
        })),
        ...teamSource(guidance, rules),
      ],
      results: [...facts.ours, ...turn.facts],
      circumstances: facts.circumstances,
      customerTexts: [...wordsOf(context), ...facts.theirs, ...writtenFields(context, guidance)],
      ownDomains: guidance.domains,
      privateWords: [
        canary,
        REJECTED,
        END_TURN.name,
        ...tools.map(({ spec }) => spec.name),
        ...unpublished(context.memberEmails, turn, guidance),
      ],
      privateText: [FIXED, ...rejections].join('\n'),
      instructions: unsaid(guidance, rules, task),
      noted: turn.effects.flatMap((effect) => ('value' in effect ? [effect.value] : [])),
      lastReplies: isDraft ? [] : lastReplies(context),
      language,
      lengthMax,
      done: turn.effects.map(({ is }) => is),
      actions: context.actions.filter(({ state }) => state === 'done').map(({ name }) => name),
    }),
  }
}

const wordsOf = (context: Context): string[] => [...customerTexts(context), ...earlierTexts(context.episodes)]

const turnsOf = (
  { context, pictures }: Given,
  told: Omit<Parameters<typeof transcriptOf>[1], 'pictures'>,
): Pick<Prepared, 'turns' | 'plainTurns'> => {
  const plain = transcriptOf(context, told)
  return pictures && pictures.size > 0
    ? { turns: transcriptOf(context, { ...told, pictures }), plainTurns: plain }
    : { turns: plain, plainTurns: null }
}

/** What the team wants said: its instructions, and the rules for what to say and to ask. */
const teamSource = ({ instructions }: Guidance, rules: readonly GuidanceRule[]): Known['sources'] => {
  const said = rules.filter(({ action }) => action === 'say' || action === 'ask').map(({ text }) => text)
  const text = [instructions, ...said].filter((one) => one !== '').join('\n')
  return text === '' ? [] : [{ id: TEAM, text, url: null, language: null }]
}

/** What is for the model alone, as far as it isn't said elsewhere. */
const unsaid = (
  { instructions, style }: Guidance,
  rules: readonly GuidanceRule[],
  task: Task | null,
): string => {
  const texts = rules.flatMap(({ when, action, text }) =>
    action === 'never' || action === 'handOver' ? [when, text] : [when],
  )
  return [instructions, style, ...texts, task?.goal ?? ''].filter((text) => text !== '').join('\n')
}

/** With what was hidden from the provider and may be said to the customer. */
export const revealed = ({ redaction }: Prepared, text: string): string => redaction.reveal(text)

/** The customer's if it is allowed, else the first that is. */
const replyLanguage = (allowed: readonly string[], customers: string | null): string | null => {
  if (allowed.length === 0) return customers
  return customers !== null && allowed.includes(customers) ? customers : allowed[0]!
}

const timeZoneOf = ({ hours }: Context): string => hours[0]?.timeZone ?? 'UTC'

/** `theirs` may say anything: a name and a subject are the customer's own words. */
const factsOf = (
  context: Context,
  { now, isOpen, identity }: { now: number; isOpen: boolean; identity: Identity },
): { circumstances: string[]; ours: string[]; theirs: string[] } => {
  const { name, channel, subject, country, actions, code } = context
  const timeZone = timeZoneOf(context)
  const date = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'short', timeZone }).format(
    now,
  )
  return {
    circumstances: [
      `Now: ${date} (${timeZone}). The team is ${isOpen ? 'there' : 'away'}.`,
      `Channel: ${channel}.${country === null ? '' : ` Country of the customer: ${country}.`}`,
    ],
    ours: [...actions.map(actionFact), ...codeFact(code, { now, identity })],
    theirs: [
      ...(name === null ? [] : [`Name of the customer: ${cleanLine(name)}`]),
      ...(subject === null ? [] : [`Subject of the conversation: ${cleanLine(subject)}`]),
      ...actions.map(actionValues),
    ],
  }
}

const codeFact = (
  code: Context['code'],
  { now, identity }: { now: number; identity: Identity },
): string[] => {
  if (identity === 'verified')
    return ['The customer entered the code that was sent to them, so it is known who they are.']
  if (code?.state !== 'open' || now >= code.expiresAt) return []
  return [`A code was sent to ${maskAddress(code)}. The customer hasn’t entered it yet.`]
}

const DID: Record<RecentAction['state'], string> = {
  confirmed: 'is being done',
  declined: 'was declined, so it was not done',
  done: 'was done',
  failed: 'failed',
  unknown: 'may or may not have been done',
}

/** With what the action's response said, which is as true as the result of a tool. */
const actionFact = ({ name, state, kept }: RecentAction): string => {
  const result = kept === null ? '' : ` Its result: ${cleanText(JSON.stringify(kept), RESULT_MAX)}`
  return `“${cleanLine(name)}” ${DID[state]}.${result}`
}

const actionValues = (action: RecentAction): string =>
  `Asked for: ${cleanLine(describeAction(action), PART_MAX.message)}`

/** A member's address may be the shop's own. */
const unpublished = (
  emails: readonly string[],
  { shown }: TurnInHand,
  { instructions }: Guidance,
): string[] => {
  const texts = [instructions, ...shown.map(({ source }) => source.text)].map((text) => text.toLowerCase())
  return emails.filter((email) => !texts.some((text) => text.includes(email.toLowerCase())))
}

/** What the agent may fill in is what customers told it. */
const writtenFields = ({ customFields }: Context, { writableFields }: Guidance): string[] =>
  writableFields.flatMap((field) => (Object.hasOwn(customFields, field) ? [String(customFields[field])] : []))

const canaryOf = (ctx: Ctx, conversationId: string): string =>
  `Ref ${ctx.seal.sign('model canary', `${conversationId} ${ctx.newId()}`).slice(0, 12)}`

const lengthOf = (ctx: Ctx, channel: ChannelName): number => {
  const bodyMax = ctx.channels[channel].bodyMax ?? MESSAGE_BODY_MAX
  return Math.max(200, Math.min(bodyMax - ROOM, channel === 'email' ? MAIL_MAX : REPLY_MAX))
}
