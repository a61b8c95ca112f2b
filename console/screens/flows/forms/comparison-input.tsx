// One comparison: a value, an operator, and what it is compared with, in the form that fits both.
import { type Comparison, OPERATORS, type Scalar } from '../../../../flow-engine/schema.ts'
import { Select, TextField } from '../../../ui/field.tsx'
import { t } from '../../../words/t.ts'
import { textIn } from '../definition/localized.ts'
import { OPERATOR_WORDS } from '../definition/words.ts'
import { useEditor } from '../editor-context.tsx'
import { PathInput } from './path-input.tsx'
import { comparablePaths } from './variables.ts'

const NEEDS_NOTHING: readonly Comparison['op'][] = ['isSet', 'isEmpty']
const NUMERIC: readonly Comparison['op'][] = ['above', 'below']

/** What a value is compared with, when its path or operator changes. */
const emptyFor = (op: Comparison['op']): Comparison['to'] =>
  NEEDS_NOTHING.includes(op) ? undefined : op === 'isOneOf' ? [] : ''

export const ComparisonInput = ({
  value,
  onChange,
}: {
  value: Comparison
  onChange: (value: Comparison) => void
}) => {
  const { definition, resources } = useEditor()
  const write = (path: string, op: Comparison['op'], to: Comparison['to']): void =>
    onChange({ value: path, op, ...(to !== undefined && { to }) })
  const operators = value.value === 'contact.tags' ? (['hasTag', 'isSet', 'isEmpty'] as const) : OPERATORS
  return (
    <div className="comparison">
      <PathInput
        label={t`Value`}
        value={value.value}
        paths={comparablePaths(definition, resources.resultsOf(definition))}
        onChange={(path) =>
          path === 'contact.tags' ? write(path, 'hasTag', '') : write(path, value.op, value.to)
        }
      />
      <Select
        label={t`Comparison`}
        isLabelHidden
        value={value.op}
        options={operators.map((op) => ({ value: op, label: OPERATOR_WORDS[op] }))}
        onChange={({ target }) => {
          const op = target.value as Comparison['op']
          const keeps = typeof value.to !== 'object' && value.to !== undefined && emptyFor(op) === ''
          write(value.value, op, keeps ? value.to : emptyFor(op))
        }}
      />
      <ComparedWith value={value} onChange={(to) => write(value.value, value.op, to)} />
    </div>
  )
}

const ComparedWith = ({
  value: { value, op, to },
  onChange,
}: {
  value: Comparison
  onChange: (to: Comparison['to']) => void
}) => {
  const { definition, resources } = useEditor()
  if (NEEDS_NOTHING.includes(op)) return null
  const known = op === 'hasTag' ? resources.tags : knownValues(definition, value)
  if (known && op !== 'isOneOf')
    return (
      <Select
        label={t`Compared with`}
        isLabelHidden
        value={String(to ?? '')}
        options={[
          { value: '', label: t`Choose…` },
          ...known.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        onChange={({ target }) => onChange(readScalar(target.value, known === YES_NO))}
      />
    )
  const text = Array.isArray(to) ? to.join(', ') : String(to ?? '')
  return (
    <TextField
      key={op}
      label={t`Compared with`}
      isLabelHidden
      type={NUMERIC.includes(op) ? 'number' : op === 'before' || op === 'after' ? 'date' : 'text'}
      placeholder={op === 'isOneOf' ? t`Separated by commas` : undefined}
      {...(op === 'isOneOf' ? { defaultValue: text } : { value: text })}
      onChange={({ target }) => {
        if (op === 'isOneOf') return onChange(listOf(target.value))
        onChange(NUMERIC.includes(op) && target.value !== '' ? Number(target.value) : target.value)
      }}
    />
  )
}

const YES_NO = [
  { id: 'true', name: 'yes' },
  { id: 'false', name: 'no' },
]

const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)

const readScalar = (text: string, isYesNo: boolean): Scalar =>
  isYesNo && text !== '' ? text === 'true' : text

/** The options of the question that stores its answer there. */
const knownValues = (
  { blocks, variables, language }: ReturnType<typeof useEditor>['definition'],
  path: string,
): { id: string; name: string }[] | undefined => {
  if (path === 'hours.isOpen' || path === 'conversation.isFirst') return YES_NO
  if (variables?.[path.replace(/^run\./, '')]?.type === 'yesno') return YES_NO
  for (const { steps } of Object.values(blocks))
    for (const step of steps) {
      if (step.type !== 'ask') continue
      const stored = typeof step.store === 'string' ? step.store : step.store?.run
      if (stored !== path) continue
      if (step.answer === 'yesno') return YES_NO
      return step.options?.map(({ id, title }) => ({ id, name: textIn(title, language) || id }))
    }
  return undefined
}
