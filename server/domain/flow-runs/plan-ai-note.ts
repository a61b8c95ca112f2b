// What the team has to know about a conversation that the AI agent leaves to it.
import { makeRedaction } from '../ai/guards/redact.ts'
import type { AiEffect, Decision } from '../ai/think.ts'
import type { Turn } from '../ai/turn-queries.ts'
import type { ActionPart, Place } from './place.ts'

/** Of the sources that are named. */
const TITLES_MAX = 8

type HandedOver = Extract<Decision, { is: 'handOver' }>

export type HandOverWords = {
  /** A model's, for the team. */
  summary?: string | undefined
  read?: HandedOver['read']
  draft?: HandedOver['draft']
  effects?: readonly AiEffect[] | undefined
  /** The customer's, if it isn't the contact's. */
  language?: string | null | undefined
  /** What the customer hears first. */
  lead?: { text: string; action: ActionPart } | undefined
  /** In which the customer asked for a person. */
  wish?: string | undefined
}

/** Null if it was asked nothing that people would have to know. */
export const handOverNote = (
  { contact, lastAsked, state }: Place,
  {
    turn,
    summary = '',
    read = [],
    draft,
    effects = [],
    language,
    wish,
  }: HandOverWords & { turn: Turn | null },
): string | null => {
  const before = wish === undefined ? null : lastAsked
  const asked = [before?.question ?? '', turn?.question ?? '', wish ?? '']
  const question = [...new Set(asked)].filter((text) => text !== '').join('\n')
  if (question === '') return null
  const titles = [...new Set([...(before?.titles ?? []), ...read.map(({ title }) => title)])]
  const values = [...Object.entries(state.ai?.run?.collected ?? {}), ...effects.flatMap(pairsOf)]
  const spoken = language ?? contact.language
  const { hide } = makeRedaction()
  return [
    ...(summary === '' ? [] : [summary]),
    `The customer asked:\n${hide(question)}`,
    ...(values.length === 0 ? [] : [`Collected:\n${values.map((pair) => hide(pair.join(': '))).join('\n')}`]),
    ...(titles.length === 0 ? [] : [`Sources:\n${titles.slice(0, TITLES_MAX).join('\n')}`]),
    ...(spoken === null ? [] : [`Language: ${languageName(spoken)}`]),
    ...(draft ? ['The reply that it wasn’t sure of is a draft in the composer.'] : []),
  ].join('\n\n')
}

const pairsOf = (effect: AiEffect): [string, string][] => {
  if (effect.is === 'field') return [[effect.field, effect.value]]
  return effect.is === 'collected' ? [[effect.name, effect.value]] : []
}

const LANGUAGE_NAMES = new Intl.DisplayNames('en', { type: 'language', fallback: 'code' })

/** A contact's language may be anything that looks like one. */
const languageName = (language: string): string => {
  try {
    return LANGUAGE_NAMES.of(language) ?? language
  } catch {
    return language
  }
}
