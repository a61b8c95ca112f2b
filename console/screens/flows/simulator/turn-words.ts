// Turns of a test and what failed in them, in plain words.
import { findStep } from '../../../../flow-engine/definition-index.ts'
import { chooseText } from '../../../../flow-engine/language.ts'
import type { Turn } from '../../../../flow-engine/scenario.ts'
import type { FlowDefinition } from '../../../../flow-engine/schema.ts'
import { t } from '../../../words/t.ts'
import { durationWords, quote, TRIGGER_WORDS } from '../definition/words.ts'

const FILE_WORDS: Record<Extract<Turn, { attach: unknown }>['attach'], string> = {
  image: t`Customer sends an image`,
  file: t`Customer sends a file`,
  audio: t`Customer sends a voice message`,
  video: t`Customer sends a video`,
  sticker: t`Customer sends a sticker`,
}

export const turnWords = (turn: Turn, definition: FlowDefinition): string => {
  if ('say' in turn) return t`Customer writes ${quote(turn.say)}`
  if ('tap' in turn) return t`Customer taps ${quote(titleOf(turn.tap, definition))}`
  if ('attach' in turn) return FILE_WORDS[turn.attach]
  if ('wait' in turn) return t`${durationWords(turn.wait)} pass`
  if ('event' in turn) return TRIGGER_WORDS[turn.event]
  if ('ai' in turn) return turn.ai === 'done' ? t`The AI agent is done` : t`The AI agent gives up`
  return t`Expectations`
}

const titleOf = (id: string, { blocks, language }: FlowDefinition): string => {
  for (const { steps } of Object.values(blocks))
    for (const step of steps) {
      const found = step.type === 'ask' && step.options?.find((option) => option.id === id)
      if (found) return chooseText(found.title, language, language).text
    }
  return id
}

export const expectationWords = (
  { expect }: Extract<Turn, { expect: object }>,
  definition: FlowDefinition,
): string[] => {
  const all = [
    expect.text !== undefined && t`says ${quote(expect.text)}`,
    expect.nothing && t`says nothing`,
    expect.choices && t`offers ${expect.choices.map((id) => titleOf(id, definition)).join(', ')}`,
    expect.template && t`sends the template ${quote(expect.template)}`,
    expect.waits && t`waits at ${stepName(expect.waits, definition)}`,
    expect.ended && t`ends as ${expect.ended}`,
    expect.handedOver !== undefined && (expect.handedOver ? t`hands over to the team` : t`doesn’t hand over`),
    expect.closed !== undefined &&
      (expect.closed ? t`closes the conversation` : t`leaves the conversation open`),
    expect.tags && t`has tagged the contact ${expect.tags.join(', ')}`,
    expect.assigned && t`assigns to ${expect.assigned}`,
    ...Object.entries(expect.set ?? {}).map(
      ([path, value]) => t`has set ${path} to ${JSON.stringify(value)}`,
    ),
  ]
  return all.filter((one) => typeof one === 'string')
}

/** A step by what it says; its id where it says nothing. */
const stepName = (id: string, definition: FlowDefinition): string => {
  const step = findStep(definition, id)?.step
  const text =
    step && 'text' in step && step.text
      ? chooseText(step.text, definition.language, definition.language).text
      : null
  // What is put in differs with each customer.
  return text === null ? t`step ${id}` : quote(text.replace(/\{\{[^{}]*\}\}/g, '…'))
}

/** The failure of a turn, after the move that led to it; steps by what they say. */
export const failureWords = (
  { turn, message }: { turn: number; message: string },
  turns: readonly Turn[],
  definition: FlowDefinition,
): string => {
  const move = turns.slice(0, turn + 1).findLast((one) => !('expect' in one))
  const named = message.replace(/"(s[a-z0-9]{1,11})"/g, (all, id: string) =>
    findStep(definition, id) ? stepName(id, definition) : all,
  )
  const words = named.charAt(0).toLowerCase() + named.slice(1)
  return move ? t`${turnWords(move, definition)} (turn ${turn + 1}): ${words}` : named
}
