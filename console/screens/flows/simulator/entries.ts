// What a simulation shows, move by move: the messages of both sides as the channel shows them, and a line for whatever
// else came of it.
import { type ChoiceLayout, type LaidOption, layChoices, numberedText } from '../../../../channels/choices.ts'
import { DEFINITIONS } from '../../../../channels/definitions.ts'
import type { ChannelName } from '../../../../channels/names.ts'
import { builtInText } from '../../../../flow-engine/built-in-texts.ts'
import type { Effect, LogEntry } from '../../../../flow-engine/contract.ts'
import { END_REASONS } from '../../../../flow-engine/end-reasons.ts'
import type { Move, Simulation } from '../../../../flow-engine/simulate.ts'
import { saidWithin } from '../../../state/said.ts'
import { t } from '../../../words/t.ts'
import { durationWords, type Names, quote } from '../definition/words.ts'
import type { Game, Played } from './play.ts'
import { startsByItself } from './starts-by-itself.ts'

export type ShownChoice = LaidOption & { id: string; number: number }

export type Entry =
  | { kind: 'customer'; text: string }
  | {
      kind: 'flow'
      stepId: string
      text: string
      language: string
      layout: ChoiceLayout<ShownChoice>
      all: ShownChoice[]
    }
  | { kind: 'line'; stepId: string | null; text: string; tone?: 'warn'; details?: string[] }

export type EntryFacts = { names: Names; channel: ChannelName }

/** The entries of each move, in order. */
export const entriesOf = (game: Game, names: Names): Entry[][] => {
  const { played, setup } = game
  const all = played.map((one) => entriesOfMove(one, { names, channel: setup.channel }))
  const [first, ...others] = all
  if (!first || startsByItself(game)) return all
  const says = t`No trigger of this flow fits, so it wouldn’t start here. Played all the same.`
  return [[...first.slice(0, 1), line(null, says, { tone: 'warn' }), ...first.slice(1)], ...others]
}

const entriesOfMove = ({ move, before, after }: Played[number], facts: EntryFacts): Entry[] => {
  const said = entryOfMove(move, before)
  const calls = callsIn(after.log)
  const shown = after.effects.flatMap((effect) => entriesOfEffect(effect, facts, calls))
  const isIgnored = before.state !== null && after.log.length === 0 && !('wait' in move)
  return [
    ...(said ? [said] : []),
    ...(isIgnored ? [line(null, t`The flow doesn’t react to this.`)] : []),
    ...shown,
    ...endOf(before, after),
  ]
}

const line = (
  stepId: string | null,
  text: string,
  more: { tone?: 'warn'; details?: string[] } = {},
): Entry => ({
  kind: 'line',
  stepId,
  text,
  ...more,
})

const EVENTS: Record<string, string> = {
  message: t`A message`,
  opened: t`The conversation starts`,
  reopened: t`The conversation is reopened`,
  closed: t`The team closes the conversation`,
  assigned: t`The conversation is assigned`,
  customer_silent: t`The customer stops replying`,
  team_silent: t`The team hasn’t replied`,
  tagged: t`The contact is tagged`,
  field_changed: t`A field of the contact changes`,
  api: t`Started through the API`,
}

const ATTACHMENTS: Record<string, string> = {
  image: t`Image`,
  audio: t`Voice message`,
  video: t`Video`,
  file: t`File`,
  sticker: t`Sticker`,
}

const entryOfMove = (move: Move, { state, effects }: Simulation): Entry | null => {
  if ('say' in move) return { kind: 'customer', text: move.say }
  if ('attach' in move) return { kind: 'customer', text: ATTACHMENTS[move.attach] ?? move.attach }
  if ('wait' in move) return line(null, t`${durationWords(move.wait)} later`)
  if ('event' in move) return line(null, EVENTS[move.event] ?? move.event)
  if ('ai' in move)
    return line(
      state?.wait?.stepId ?? null,
      move.ai === 'done' ? t`The AI agent is done` : t`The AI agent gives up`,
    )
  return { kind: 'customer', text: move.step === undefined ? titleIn(effects, move.tap) : move.tap }
}

/** The title of a tapped option, as it was shown. */
const titleIn = (effects: readonly Effect[], id: string): string => {
  for (const effect of effects.toReversed()) {
    const found = effect.type === 'send' && effect.choices?.options.find((option) => option.id === id)
    if (found) return found.title
  }
  return id
}

/** How the calls of a move ended, by step. */
const callsIn = (log: readonly LogEntry[]): Map<string, string> =>
  new Map(
    log.flatMap(({ type, stepId, outcome, detail }) =>
      type === 'call' && stepId !== null && outcome !== 'waiting'
        ? [[stepId, String(detail.outcome ?? detail.reason ?? outcome)]]
        : [],
    ),
  )

const entriesOfEffect = (effect: Effect, facts: EntryFacts, calls: ReadonlyMap<string, string>): Entry[] => {
  const { stepId } = effect
  const say = (text: string, details?: string[]): Entry[] => [line(stepId, text, details ? { details } : {})]
  const { name } = facts.names
  switch (effect.type) {
    case 'send':
      return [messageOf(effect, facts.channel)]
    case 'sendTemplate':
      return say(t`Sends the template ${quote(effect.name)} (${effect.language})`, effect.parameters)
    case 'assign':
      return say(effect.to === 'nobody' ? t`Unassigned` : t`Assigned to ${name('agent', effect.to)}`)
    case 'assignAmong': {
      const agents = effect.agentIds.map((id) => name('agent', id)).join(', ')
      const how = effect.by === 'turn' ? t`in turn` : t`whoever has the fewest open conversations`
      return say(
        effect.agentIds.length === 1 ? t`Assigned to ${agents}` : t`Assigned to one of ${agents}: ${how}`,
      )
    }
    case 'team':
      return say(t`Moved to the team ${name('team', effect.teamId)}`)
    case 'tag': {
      const added = effect.add.map((id) => t`Tagged ${name('tag', id)}`)
      return say([...added, ...effect.remove.map((id) => t`Removed the tag ${name('tag', id)}`)].join(', '))
    }
    case 'setField': {
      const field = effect.field.replace(/^fields\./, '')
      return say(effect.value === null ? t`Cleared ${field}` : t`Saved ${field}: ${effect.value}`)
    }
    case 'note':
      return say(t`Internal note`, [effect.text])
    case 'close':
      return say(t`Conversation closed`)
    case 'call':
      return say(
        t`Called ${name('action', effect.actionId)}: ${CALL_WORDS[calls.get(stepId) ?? ''] ?? t`no result`}`,
      )
    case 'startAi':
      return say(t`The AI agent takes over`, effect.goal ? [effect.goal] : [])
    case 'startFlow':
      return say(
        effect.as === 'part'
          ? t`Runs ${quote(name('flow', effect.flowId))} as a part. The simulator skips it.`
          : t`Continues in ${quote(name('flow', effect.flowId))}. The simulator stops here.`,
      )
    case 'handOver':
      return handOverOf(effect, facts)
  }
}

const CALL_WORDS: Record<string, string> = {
  done: t`got a response`,
  notFound: t`not found`,
  refused: 'refused',
  action_failed: 'failed',
  action_missing: t`no longer exists`,
}

const messageOf = (effect: Extract<Effect, { type: 'send' }>, channel: ChannelName): Entry => {
  const { stepId, text, language, choices, attachmentIds } = effect
  const all = choices?.options ?? []
  const files = attachmentIds.map(() => '📎').join(' ')
  const layout = layChoices(DEFINITIONS[channel].choices, {
    text,
    label: choices?.label ?? '',
    options: all,
    more: builtInText('more', language),
  })
  const body =
    layout.as === 'text' && all.length > 0
      ? numberedText(text, all)
      : layout.as === 'text'
        ? text
        : layout.text
  return { kind: 'flow', stepId, text: [body, files].filter(Boolean).join('\n'), language, layout, all }
}

const handOverOf = (
  { stepId, text, language, assignTo, collected, isSilent }: Extract<Effect, { type: 'handOver' }>,
  { names }: EntryFacts,
): Entry[] => {
  const details = collected.map(({ question, answer }) => `${question} → ${answer}`)
  const to = assignTo === null ? t`the team` : names.name('agent', assignTo)
  const message: Entry = { kind: 'flow', stepId, text: text ?? '', language, layout: { as: 'text' }, all: [] }
  return [
    ...(text === null ? [] : [message]),
    line(
      stepId,
      t`Handed over to ${to}${text === null && !isSilent ? t`, with your workspace’s hand-over message` : ''}`,
      {
        details,
      },
    ),
  ]
}

const endOf = (before: Simulation, { state }: Simulation): Entry[] => {
  const wasRunning = before.state === null || before.state.status === 'running'
  if (!state || state.status === 'running' || !wasRunning) return []
  const reason = END_REASONS[state.endReason ?? 'finished']
  return [
    line(
      null,
      t`The flow ends: ${saidWithin(reason.says)}`,
      state.status === 'failed' ? { tone: 'warn' } : {},
    ),
  ]
}
