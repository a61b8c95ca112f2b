// Where the value of a parameter comes from when the AI agent calls the action.
import type { Action } from '../../state/types.ts'
import { Select, TextField } from '../../ui/field.tsx'
import { t } from '../../words/t.ts'
import { SOURCES } from './action-terms.ts'

export type Source = Action['parameters'][number]['fromContact']

export const ParameterSource = ({
  source,
  label = t`AI agent takes it from`,
  onChange,
}: {
  source: Source
  label?: string
  onChange: (source: Source) => void
}) => (
  <>
    <Select
      label={label}
      value={source?.is ?? 'model'}
      options={[...SOURCES]}
      onChange={({ target }) => {
        const is = SOURCES.find(({ value }) => value === target.value)!.value
        onChange(is === 'model' ? undefined : is === 'field' ? { is, field: '' } : { is })
      }}
    />
    {source?.is === 'field' && (
      <TextField
        label={t`Field`}
        dir="ltr"
        value={source.field ?? ''}
        maxLength={64}
        spellCheck={false}
        placeholder={t`customer_number`}
        onChange={({ target }) => onChange({ is: 'field', field: target.value.trim() })}
      />
    )}
  </>
)
