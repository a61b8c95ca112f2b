// The form of a step, below its row.
import type { FlowDefinition, Step } from '../../../../flow-engine/schema.ts'
import { Disclosure } from '../../../ui/disclosure.tsx'
import { t } from '../../../words/t.ts'
import { replaceStep } from '../definition/change-definition.ts'
import { newStep } from '../definition/step-types.ts'
import { useEditor } from '../editor-context.tsx'
import type { KnownAction } from '../use-resources.ts'
import { FieldInput } from './field-input.tsx'
import { type Field, fieldsOf } from './fields.ts'
import { LanguageBar } from './language-bar.tsx'
import { readAt, writeAt } from './read-at.ts'
import { ShownOn } from './shown-on.tsx'
import { toName } from './value-inputs.tsx'
import { writablePaths } from './variables.ts'

export const StepForm = ({ step }: { step: Step }) => {
  const { change, resources } = useEditor()
  const fields = fieldsOf(step)
  const parameters =
    step.type === 'call' ? (resources.actions.find(({ id }) => id === step.actionId)?.parameters ?? []) : []
  const write = (field: Field, value: unknown): void => {
    const action = field.at === 'actionId' ? resources.actions.find(({ id }) => id === value) : undefined
    const next = afterWrite(step, field, value)
    change(
      (known) => replaceStep(known, action ? withAction(known, next, action) : next),
      `${step.id} ${field.at}`,
    )
  }
  const draw = (field: Field) => (
    <FieldInput
      key={`${step.id} ${field.at}`}
      field={field}
      value={readAt(step, field.at)}
      problem={undefined}
      parameters={parameters}
      onChange={(value) => write(field, value)}
    />
  )
  const speaks = step.type === 'send' || step.type === 'ask' || step.type === 'people'
  const rare = fields.filter(({ isMore }) => isMore)
  const untouched = newStep(step.type, step.id)
  const isUsed = ({ at }: Field): boolean =>
    at !== 'onFailed' && readAt(step, at) !== undefined && readAt(step, at) !== readAt(untouched, at)
  return (
    <div className="stack stack--fields step-form">
      {speaks && <LanguageBar />}
      {fields.filter(({ isMore }) => !isMore).map(draw)}
      {speaks && <ShownOn step={step} />}
      {rare.length > 0 && (
        <Disclosure title={t`More settings`} isOpen={rare.some(isUsed)}>
          {rare.map(draw)}
        </Disclosure>
      )}
    </div>
  )
}

/** A value that is needed is kept empty instead of going away, so that the rest of the form stays as it is. */
const afterWrite = (step: Step, { at, needed }: Field, value: unknown): Step => {
  const kept = value === undefined && (needed !== undefined || at === 'text') && step.type !== 'people'
  const changed = writeAt(step, at, kept ? '' : value)
  if (changed.type !== 'ask' || at !== 'answer') return changed
  // Only a choice has options, and it needs some.
  if (changed.answer === 'choice') return { ...changed, options: changed.options ?? newOptions() }
  const { options: _, listLabel: __, ...rest } = changed
  return rest
}

/** A chosen action gets what it requires from the replies, those of the same name first, and its result has a name. */
const withAction = (definition: FlowDefinition, step: Step, action: KnownAction): Step => {
  if (step.type !== 'call' || step.with !== undefined || step.keep !== undefined) return step
  const replies = writablePaths(definition).filter(({ path }) => path.startsWith('run.'))
  const fromOf = (name: string): string =>
    (replies.find(({ path }) => path === `run.${name}`) ?? replies.at(-1))?.path ?? `run.${name}`
  return {
    ...step,
    ...(action.required.length > 0 && {
      with: Object.fromEntries(action.required.map((name) => [name, { from: fromOf(name) }])),
    }),
    ...(action.keeps.length > 0 && { keep: toName(action.name) || 'result' }),
  }
}

const newOptions = () => [
  { id: 'o1', title: '' },
  { id: 'o2', title: '' },
]
