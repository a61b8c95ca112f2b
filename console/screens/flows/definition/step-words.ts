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
      return t`Branch by ${listed(step.paths.map(({ title, when }) => title ?? firstValue(when)))}`
    case 'hours':
      return t`Check ${step.hoursId ? names.name('hours', step.hoursId) : t`business hours`}`
    case 'wait':
      return waitWords(step)
    case 'set':
      return t`Set ${step.set.map(({ to, value, from }) => t`${pathWords(to)} to ${from === undefined ? quote(String(value ?? '')) : pathWords(from)}`).join(', ')}`
    case 'tag':
      return tagWords(step, names)
    case 'assign':
      return assignWords(step, names)
    case 'note':
      return t`Note for the team ${quote(step.text)}`
    case 'close':
      return t`Close the conversation`
    case 'call':
      return t`Call ${step.actionId ? names.name('action', step.actionId) : t`an action`}${step.keep ? ` → ${step.keep}` : ''}`
    case 'ai':
      return step.goal ? t`AI agent: ${cut(step.goal)}` : t`AI agent replies`
    case 'people':
      return t`Hand over to ${receiverWords(step, names)}${step.text ? t` saying ${quote(say(step.text))}` : ''}`
    case 'flow':
      return flowWords(step, names)
    case 'split':
      return t`Split at random: ${step.paths.map(({ percent }) => `${percent} %`).join(', ')}`
    case 'goto':
      return t`Go to ${targetWords(definition, step.to)}`
  }
}

const flowWords = ({ as, flowId }: StepOf<'flow'>, { name }: Names): string => {
  const flow = flowId ? quote(name('flow', flowId)) : t`another flow`
  return as === 'part' ? t`Run ${flow}` : t`Switch to ${flow}`
}

const listed = (all: readonly string[]): string => [...new Set(all)].slice(0, 4).join(', ')

const firstValue = (condition: StepOf<'branch'>['paths'][number]['when']): string => {
  if ('op' in condition) return pathWords(condition.value)
  const inside = 'all' in condition ? condition.all : 'any' in condition ? condition.any : [condition.not]
  return listed(inside.map(firstValue))
}

const sendWords = ({ attachmentIds = [] }: StepOf<'send'>, text: string): string => {
  const files = attachmentIds.length === 1 ? t`a file` : t`${attachmentIds.length} files`
  if (text === '') return attachmentIds.length > 0 ? t`Send ${files}` : t`Send a message`
  return t`Send ${quote(text)}${attachmentIds.length > 0 ? t` and ${files}` : ''}`
}

const ANSWER_WORDS: Partial<Record<StepOf<'ask'>['answer'], string>> = {
  yesno: t`yes or no`,
  email: t`an email address`,
  phone: t`a phone number`,
  number: t`a number`,
  date: t`a date`,
  file: t`a file`,
  rating: t`a rating`,
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
    t`Ask ${text === '' ? t`a question` : quote(text)}`,
    kind && t`for ${kind}`,
    options && `(${cut(options, 70)})`,
    stored && `→ ${pathWords(stored)}`,
  ]
    .filter(Boolean)
    .join(' ')
}

const waitWords = ({ for: time, until = 'time' }: StepOf<'wait'>): string => {
  if (until === 'opening') return t`Wait until you open`
  return until === 'reply'
    ? t`Wait for a reply, ${durationWords(time)} at most`
    : t`Wait ${durationWords(time)}`
}

const tagWords = ({ add = [], remove = [] }: StepOf<'tag'>, { name }: Names): string => {
  const names = (ids: readonly string[]): string => ids.map((id) => quote(name('tag', id))).join(', ')
  const parts = [add.length > 0 && t`add ${names(add)}`, remove.length > 0 && t`remove ${names(remove)}`]
  const words = parts.filter(Boolean).join(t` and `)
  return words === '' ? t`Change tags` : t`Tags: ${words}`
}

const receiverWords = ({ assign, teamId }: StepOf<'people'>, { name }: Names): string => {
  const person = assign && name('agent', assign)
  const team = teamId ? t`the team ${name('team', teamId)}` : t`the team`
  return person && teamId ? t`${person} in ${team}` : person || team
}

const assignWords = ({ to, teamId }: StepOf<'assign'>, names: Names): string => {
  const team = teamId && t`the team ${names.name('team', teamId)}`
  if (team && to === 'nobody') return t`Move to ${team}`
  return team ? t`${personWords(to, names)}, in ${team}` : personWords(to, names)
}

const personWords = (to: StepOf<'assign'>['to'], { name }: Names): string => {
  if (typeof to !== 'string')
    return t`Assign to ${to.by === 'fewest_open' ? t`the least busy` : t`the next`} of ${to.among.length} teammates`
  if (to === 'ai') return t`Assign to the AI agent`
  return to === 'nobody' ? t`Unassign the conversation` : t`Assign to ${name('agent', to)}`
}
