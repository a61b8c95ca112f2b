// Where the value of a template's variable comes from: the same for everyone, or a field of each contact.
import { Select, TextField } from '../../ui/field.tsx'

const CUSTOM = 'customFields.'
const FIELD_MAX = 180

const OPTIONS = [
  { value: '', label: 'Same for everyone' },
  { value: 'firstName', label: 'First name' },
  { value: 'name', label: 'Name' },
  { value: 'email', label: 'Email' },
  { value: 'phone', label: 'Phone number' },
  { value: CUSTOM, label: 'Custom field' },
]

export const Personalize = ({
  number,
  field,
  onChange,
}: {
  /** Of the variable, from 1. */
  number: number
  field: string | null
  onChange: (field: string | null) => void
}) => {
  const isCustom = field?.startsWith(CUSTOM) ?? false
  return (
    <>
      <Select
        label={`Personalize variable ${number}`}
        options={OPTIONS}
        value={isCustom ? CUSTOM : (field ?? '')}
        hint={field === null ? undefined : 'Contacts without it get the text above.'}
        onChange={({ target }) => onChange(target.value === '' ? null : target.value)}
      />
      {isCustom && (
        <TextField
          label={`Custom field for variable ${number}`}
          placeholder="e.g. plan"
          maxLength={FIELD_MAX}
          value={field!.slice(CUSTOM.length)}
          onChange={({ target }) => onChange(`${CUSTOM}${target.value}`)}
        />
      )}
    </>
  )
}
