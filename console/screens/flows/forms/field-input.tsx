// One field of a step's form: the control that its kind asks for. The table of fields promises which values are where, and
// a definition that doesn't fit the schema is edited as JSON instead.
import { Checkbox, Select, TextArea, TextField } from '../../../ui/field.tsx'
import { useEditor } from '../editor-context.tsx'
import { PathsInput, SplitInput } from './branch-inputs.tsx'
import { ConditionInput } from './condition-input.tsx'
import { DurationInput } from './duration-input.tsx'
import type { Field } from './fields.ts'
import { OptionsInput } from './options-input.tsx'
import { AssignInput, OneInput, SeveralInput, TemplateInput } from './resource-inputs.tsx'
import { TargetInput } from './target-input.tsx'
import { TextInput } from './text-input.tsx'
import { TimeoutInput } from './timeout-input.tsx'
import { MappingInput, SetsInput, StoreInput, ValuesInput } from './value-inputs.tsx'

type Props = {
  field: Field
  value: unknown
  problem: string | undefined
  /** Of the chosen action. */
  parameters: readonly string[]
  onChange: (value: unknown) => void
}

export const FieldInput = ({ field, value: stored, problem, parameters, onChange }: Props) => {
  const { resources, isReadOnly } = useEditor()
  const { label, hint } = field
  // biome-ignore lint/suspicious/noExplicitAny: the table says what is at each place; the schema holds it
  const value = stored as any
  const shared = { label, value, onChange }
  switch (field.kind) {
    case 'text':
      return <TextInput {...shared} hint={hint} problem={problem} isShort={field.isShort} />
    case 'duration':
      return <DurationInput {...shared} hint={hint} isDisabled={isReadOnly} />
    case 'target':
      return <TargetInput {...shared} empty={field.empty} newTitle={label} />
    case 'condition':
      return <ConditionInput {...shared} isOptional />
    case 'one':
      // Workspaces without teams needn't know of them.
      if (field.of === 'team' && resources.teams.length === 0 && value === undefined) return null
      return <OneInput {...shared} hint={hint} empty={field.empty} all={resources[LISTS[field.of]]} />
    case 'several':
      return <SeveralInput {...shared} all={resources[LISTS[field.of]]} />
    case 'options':
      return <OptionsInput {...shared} />
    case 'paths':
      return <PathsInput {...shared} />
    case 'split':
      return <SplitInput {...shared} />
    case 'sets':
      return <SetsInput {...shared} />
    case 'values':
      return <ValuesInput {...shared} parameters={parameters} />
    case 'mapping':
      return <MappingInput {...shared} />
    case 'store':
      return <StoreInput {...shared} />
    case 'timeout':
      return <TimeoutInput {...shared} />
    case 'assign':
      return <AssignInput {...shared} />
    case 'template':
      return <TemplateInput {...shared} hint={hint} />
    default:
      return <PlainInput field={field} value={value} problem={problem} onChange={onChange} />
  }
}

type PlainKind = 'plain' | 'area' | 'select' | 'flag' | 'number' | 'names'

/** The kinds that are one control of the design system. */
const PlainInput = ({
  field,
  value,
  problem,
  onChange,
}: {
  field: Extract<Field, { kind: PlainKind }>
  // biome-ignore lint/suspicious/noExplicitAny: as above
  value: any
  problem: string | undefined
  onChange: (value: unknown) => void
}) => {
  const { isReadOnly: disabled } = useEditor()
  const { label, hint } = field
  const words = { label, hint, problem, disabled }
  const write = ({ target }: { target: { value: string } }): void => onChange(target.value || undefined)
  switch (field.kind) {
    case 'plain': {
      const className = field.isCode ? 'text-mono' : undefined
      return <TextField {...words} className={className} value={value ?? ''} onChange={write} />
    }
    case 'area':
      return <TextArea {...words} rows={3} value={value ?? ''} onChange={write} />
    case 'select':
      return <Select {...words} value={value ?? field.first} options={[...field.choices]} onChange={write} />
    case 'number':
      return (
        <TextField
          {...words}
          type="number"
          min={field.min}
          max={field.max}
          value={value ?? ''}
          onChange={({ target }) => onChange(target.value === '' ? undefined : Number(target.value))}
        />
      )
    case 'names':
      return (
        <TextField
          {...words}
          defaultValue={(value ?? []).join(', ')}
          onChange={({ target }) => {
            const names = target.value.split(/[\s,]+/).filter(Boolean)
            onChange(names.length > 0 ? names : undefined)
          }}
        />
      )
    case 'flag': {
      const first = field.isOnByDefault ?? false
      return (
        <Checkbox
          label={label}
          disabled={disabled}
          checked={value ?? first}
          onChange={({ target }) => onChange(target.checked === first ? undefined : target.checked)}
        />
      )
    }
  }
}

const LISTS = {
  tag: 'tags',
  agent: 'agents',
  team: 'teams',
  action: 'actions',
  hours: 'hours',
  flow: 'flows',
} as const
