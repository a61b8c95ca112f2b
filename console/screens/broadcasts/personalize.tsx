// Where the value of a template's variable comes from: the same for everyone, or a field of each contact.
import { Select, TextField } from '../../ui/field.tsx'
import { t } from '../../words/t.ts'

const CUSTOM = 'customFields.'
const FIELD_MAX = 180

const OPTIONS = [
  { value: '', label: t`Same for everyone` },
  { value: 'firstName', label: t`First name` },
  { value: 'name', label: t`Name` },
  { value: 'email', label: t`Email` },
  { value: 'phone', label: t`Phone number` },
  { value: CUSTOM, label: t`Custom field` },
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
        label={t`Personalize variable ${number}`}
        options={OPTIONS}
        value={isCustom ? CUSTOM : (field ?? '')}
        hint={field === null ? undefined : t`Contacts without it get the text above.`}
        onChange={({ target }) => onChange(target.value === '' ? null : target.value)}
      />
      {isCustom && (
        <TextField
          label={t`Custom field for variable ${number}`}
          placeholder={t`e.g. plan`}
          maxLength={FIELD_MAX}
          value={field!.slice(CUSTOM.length)}
          onChange={({ target }) => onChange(`${CUSTOM}${target.value}`)}
        />
      )}
    </>
  )
}
