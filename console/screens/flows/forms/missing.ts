// What an author still has to enter, before the checks of the flow engine say anything: these name the field of the form.
import type { Condition, LocalizedText, Step } from '../../../../flow-engine/schema.ts'
import { comparisonsOf } from '../../../../flow-engine/step-parts.ts'
import { t } from '../../../words/t.ts'
import { fieldsOf } from './fields.ts'
import { readAt } from './read-at.ts'

const isBlank = (value: unknown): boolean =>
  value === undefined ||
  value === '' ||
  (typeof value === 'object' && value !== null && Object.values(value).every(isBlank))

const isIncomplete = (condition: Condition): boolean =>
  comparisonsOf(condition).some(
    ({ op, to, value }) =>
      value === '' ||
      (op !== 'isSet' && op !== 'isEmpty' && (to === undefined || to === '' || isEmptyList(to))),
  )
const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0

export const missingIn = (step: Step): string[] => {
  const missing = fieldsOf(step)
    .filter(({ needed, at }) => needed !== undefined && isBlank(readAt(step, at)))
    .map(({ needed }) => needed!)
  return [...missing, ...ownMissing(step)]
}

const ownMissing = (step: Step): string[] => {
  switch (step.type) {
    case 'send':
      return isBlank(step.text) && isBlank(step.attachmentIds) ? [t`Enter the message.`] : []
    case 'ask':
      return step.options?.some(({ title }: { title: LocalizedText }) => isBlank(title))
        ? [t`Give each option a title.`]
        : []
    case 'branch':
      return step.paths.some(({ when }) => isIncomplete(when)) ? [t`Complete the conditions.`] : []
    case 'tag':
      return isBlank(step.add) && isBlank(step.remove) ? [t`Choose a tag.`] : []
    case 'assign':
      return typeof step.to !== 'string' && step.to.among.length === 0 ? [t`Choose teammates.`] : []
    default:
      return []
  }
}
