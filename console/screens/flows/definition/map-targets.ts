// Where a step leads, place by place, with words for each: for links, for the map, and for renaming.
import type { Step } from '../../../../flow-engine/schema.ts'
import { t } from '../../../words/t.ts'

export type Exit = { label: string; target: string }

/** The step with every target replaced. */
export const mapTargets = (step: Step, change: (target: string) => string): Step => {
  const changed: Step = { ...step, ...(step.onFailed !== undefined && { onFailed: change(step.onFailed) }) }
  switch (changed.type) {
    case 'ask':
      return {
        ...changed,
        ...(changed.options && {
          options: changed.options.map((option) =>
            option.goto === undefined ? option : { ...option, goto: change(option.goto) },
          ),
        }),
        ...(changed.retry?.then !== undefined && {
          retry: { ...changed.retry, then: change(changed.retry.then) },
        }),
        ...(changed.timeout && { timeout: { ...changed.timeout, then: change(changed.timeout.then) } }),
      }
    case 'branch':
      return {
        ...changed,
        paths: changed.paths.map((path) => ({ ...path, goto: change(path.goto) })),
        else: change(changed.else),
      }
    case 'split':
      return { ...changed, paths: changed.paths.map((path) => ({ ...path, goto: change(path.goto) })) }
    case 'hours':
      return { ...changed, open: change(changed.open), closed: change(changed.closed) }
    case 'goto':
      return { ...changed, to: change(changed.to) }
    case 'assign':
      return typeof changed.to === 'string' || changed.to.else === undefined
        ? changed
        : { ...changed, to: { ...changed.to, else: change(changed.to.else) } }
    case 'call': {
      const { notFound, refused } = changed.paths ?? {}
      const paths = {
        ...(notFound !== undefined && { notFound: change(notFound) }),
        ...(refused !== undefined && { refused: change(refused) }),
      }
      return changed.paths ? { ...changed, paths } : changed
    }
    case 'ai':
      return {
        ...changed,
        ...(changed.onDone !== undefined && { onDone: change(changed.onDone) }),
        ...(changed.onGiveUp !== undefined && { onGiveUp: change(changed.onGiveUp) }),
      }
    default:
      return changed
  }
}

/** Every way out of a step other than the next one, in order. */
export const exitsOf = (step: Step, words: (text: unknown) => string): Exit[] => {
  const exits: (Exit | false)[] = []
  const add = (label: string, target: string | undefined) =>
    exits.push(target !== undefined && { label, target })
  switch (step.type) {
    case 'ask':
      for (const option of step.options ?? []) add(words(option.title), option.goto)
      add(t`Not understood`, step.retry?.then)
      add(t`No reply`, step.timeout?.then)
      break
    case 'branch':
      step.paths.forEach(({ title, when, goto }) => {
        add(title ?? words(when), goto)
      })
      add(t`Otherwise`, step.else)
      break
    case 'split':
      for (const { percent, goto } of step.paths) add(`${percent} %`, goto)
      break
    case 'hours':
      add(t`Open`, step.open)
      add(t`Closed`, step.closed)
      break
    case 'goto':
      add('', step.to)
      break
    case 'assign':
      if (typeof step.to !== 'string') add(t`Nobody available`, step.to.else)
      break
    case 'call':
      add(t`Not found`, step.paths?.notFound)
      add(t`Refused`, step.paths?.refused)
      break
    case 'ai':
      add(t`Done`, step.onDone)
      add(t`Gave up`, step.onGiveUp)
      break
    case 'people':
      add('', 'people')
      break
  }
  add(t`If it fails`, step.onFailed)
  return exits.filter((exit) => exit !== false)
}
