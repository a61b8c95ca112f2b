// What a simulation starts with: where, in which language, and what each action of the flow answers.
import type { ChannelName } from '../../../../channels/names.ts'
import { listSteps } from '../../../../flow-engine/definition-index.ts'
import type { FlowDefinition, Trigger } from '../../../../flow-engine/schema.ts'
import { readsOf, spellings, textsOf } from '../../../../flow-engine/step-parts.ts'
import { t } from '../../../words/t.ts'
import { flowChannels } from '../channel-facts.ts'
import type { Setup } from './play.ts'

/** All languages that the flow has texts in, its own first. */
export const languagesOf = (definition: FlowDefinition): string[] => [
  ...new Set([
    definition.language,
    ...listSteps(definition).flatMap(({ step }) =>
      textsOf(step).flatMap(({ text }) => (typeof text === 'string' ? [] : Object.keys(text))),
    ),
  ]),
]

export type CallSetup = { action: string; actionId: string; status: number; fields: Record<string, string> }

const SAMPLE_DATE_MS = 2 * 86_400_000

/** Each action that the flow calls, with a sample of what the flow reads of its response. */
export const callsOf = (definition: FlowDefinition, now: number): CallSetup[] => {
  const steps = listSteps(definition).map(({ step }) => step)
  const read = steps.flatMap(readsOf)
  const texts = steps.flatMap((step) => textsOf(step).flatMap(({ text }) => spellings(text)))
  const calls = steps.flatMap((step) => (step.type === 'call' ? [step] : []))
  return calls.map(({ actionId, keep = '' }) => {
    const fields = [
      ...new Set(read.flatMap((path) => (path.startsWith(`call.${keep}.`) ? [path.split('.')[2]!] : []))),
    ]
    const isDate = (field: string) =>
      texts.some((text) => new RegExp(`${keep}\\.${field}\\|(date|day|time)`).test(text))
    const sample = (field: string): string =>
      isDate(field) ? new Date(now + SAMPLE_DATE_MS).toISOString().slice(0, 10) : t`${field} from your action`
    return {
      action: keep || actionId,
      actionId,
      status: 200,
      fields: Object.fromEntries(fields.map((field) => [field, sample(field)])),
    }
  })
}

export const toCalls = (calls: readonly CallSetup[]): NonNullable<Setup['calls']> =>
  calls
    .filter(({ action }) => action !== '')
    .map(({ action, status, fields }) => ({
      action,
      answer: { status, ...(status === 200 && Object.keys(fields).length > 0 && { body: fields }) },
    }))

/** Where the flow begins, and in its own language. */
export const firstSetup = (definition: FlowDefinition, now: number): Setup => {
  const channel: ChannelName = flowChannels(definition)[0] ?? 'web'
  const calls = toCalls(callsOf(definition, now))
  const startsFromAd = definition.triggers.some(({ when }) =>
    JSON.stringify(when ?? '').includes('message.referral'),
  )
  return {
    channel,
    language: definition.language,
    at: new Date(now).toISOString(),
    contact: { name: 'Sam Rivera' },
    ...(calls.length > 0 && { calls }),
    ...(startsFromAd && { referral: { headline: t`Spring sale`, sourceType: 'ad' } }),
  }
}

/** The event that starts the flow, if no message does. */
export const startingEvent = ({ triggers }: FlowDefinition): Trigger['on'] | null =>
  triggers.length > 0 && triggers.every(({ on }) => on !== 'message') ? triggers[0]!.on : null
