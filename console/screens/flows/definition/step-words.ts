// One line for each step: what it does, in plain words.
import type { FlowDefinition, Step, StepOf } from '../../../../flow-engine/schema.ts'
import { t } from '../../../words/t.ts'
import { textIn } from './localized.ts'
import { cut, durationWords, type Names, pathWords, quote, targetWords } from './words.ts'

export const stepWords = (step: Step, definition: FlowDefinition, names: Names): string => {
  const say = (text: Parameters<typeof textIn>[0]) => textIn(text, definition.language)
  switch (step.type) {
    case 'send':
      return sendWords(step, say(step.text))
    case 'ask':
      return askWords(step, definition)
    case 'branch':
      return `Branch by ${listed(step.paths.map(({ title, when }) => title ?? firstValue(when)))}`
    case 'hours':
      return `Check ${step.hoursId ? names.name('hours', step.hoursId) : 'business hours'}`
    case 'wait':
      return waitWords(step)
    case 'set':
      return `Set ${step.set.map(({ to, value, from }) => `${pathWords(to)} to ${from === undefined ? quote(String(value ?? '')) : pathWords(from)}`).join(', ')}`
    case 'tag':
      return tagWords(step, names)
    case 'assign':
      return assignWords(step, names)
    case 'note':
      return `Note for the team ${quote(step.text)}`
    case 'close':
      return 'Close the conversation'
    case 'call':
      return `Call ${step.actionId ? names.name('action', step.actionId) : 'an action'}${step.keep ? ` → ${step.keep}` : ''}`
    case 'ai':
      return step.goal ? t`AI agent: ${cut(step.goal)}` : t`AI agent replies`
    case 'people':
      return `Hand over to ${receiverWords(step, names)}${step.text ? ` saying ${quote(say(step.text))}` : ''}`
    case 'flow':
      return `${step.as === 'part' ? 'Run' : 'Switch to'} ${step.flowId ? quote(names.name('flow', step.flowId)) : 'another flow'}`
    case 'split':
      return `Split at random: ${step.paths.map(({ percent }) => `${percent} %`).join(', ')}`
    case 'goto':
      return `Go to ${targetWords(definition, step.to)}`
  }
}

const listed = (all: readonly string[]): string => [...new Set(all)].slice(0, 4).join(', ')

const firstValue = (condition: StepOf<'branch'>['paths'][number]['when']): string => {
  if ('op' in condition) return pathWords(condition.value)
  const inside = 'all' in condition ? condition.all : 'any' in condition ? condition.any : [condition.not]
  return listed(inside.map(firstValue))
}

const sendWords = ({ attachmentIds = [] }: StepOf<'send'>, text: string): string => {
  const files = attachmentIds.length === 1 ? 'a file' : `${attachmentIds.length} files`
  if (text === '') return attachmentIds.length > 0 ? `Send ${files}` : 'Send a message'
  return `Send ${quote(text)}${attachmentIds.length > 0 ? ` and ${files}` : ''}`
}

const ANSWER_WORDS: Partial<Record<StepOf<'ask'>['answer'], string>> = {
  yesno: 'yes or no',
  email: 'an email address',
  phone: 'a phone number',
  number: 'a number',
  date: 'a date',
  file: 'a file',
  rating: 'a rating',
}

const askWords = (step: StepOf<'ask'>, { language }: FlowDefinition): string => {
  const text = textIn(step.text, language)
  const kind = ANSWER_WORDS[step.answer]
  const options = step.options
    ?.map(({ title }) => cut(textIn(title, language), 20))
    .filter(Boolean)
    .join(' · ')
  const stored = typeof step.store === 'string' ? step.store : step.store?.run
  return [
    `Ask ${text === '' ? 'a question' : quote(text)}`,
    kind && `for ${kind}`,
    options && `(${cut(options, 70)})`,
    stored && `→ ${pathWords(stored)}`,
  ]
    .filter(Boolean)
    .join(' ')
}

const waitWords = ({ for: time, until = 'time' }: StepOf<'wait'>): string => {
  if (until === 'opening') return 'Wait until you open'
  return until === 'reply'
    ? `Wait for a reply, ${durationWords(time)} at most`
    : `Wait ${durationWords(time)}`
}

const tagWords = ({ add = [], remove = [] }: StepOf<'tag'>, { name }: Names): string => {
  const names = (ids: readonly string[]): string => ids.map((id) => quote(name('tag', id))).join(', ')
  const parts = [add.length > 0 && `add ${names(add)}`, remove.length > 0 && `remove ${names(remove)}`]
  const words = parts.filter(Boolean).join(t` and `)
  return words === '' ? 'Change tags' : `Tags: ${words}`
}

const receiverWords = ({ assign, teamId }: StepOf<'people'>, { name }: Names): string => {
  const person = assign && name('agent', assign)
  const team = teamId ? `the team ${name('team', teamId)}` : 'the team'
  return person && teamId ? `${person} in ${team}` : person || team
}

const assignWords = ({ to, teamId }: StepOf<'assign'>, names: Names): string => {
  const team = teamId && `the team ${names.name('team', teamId)}`
  if (team && to === 'nobody') return `Move to ${team}`
  return team ? `${personWords(to, names)}, in ${team}` : personWords(to, names)
}

const personWords = (to: StepOf<'assign'>['to'], { name }: Names): string => {
  if (typeof to !== 'string')
    return `Assign to ${to.by === 'fewest_open' ? 'the least busy' : 'the next'} of ${to.among.length} teammates`
  if (to === 'ai') return 'Assign to the AI agent'
  return to === 'nobody' ? 'Unassign the conversation' : `Assign to ${name('agent', to)}`
}
