import { TextField } from '../../ui/field.tsx'
import { FormRow, FormRows } from '../../ui/form-rows.tsx'
import { t } from '../../words/t.ts'

type Header = { name: string; value?: string }

/** Headers whose values can't be viewed. One without a value keeps what is stored. */
export const HeaderRows = ({
  headers,
  stored,
  headersMax,
  onChange,
}: {
  headers: readonly Header[]
  /** The names of those whose values are stored. */
  stored: readonly string[]
  headersMax: number
  onChange: (headers: Header[]) => void
}) => (
  <FormRows
    label={t`Headers`}
    about={t`Such as an API key. Values are encrypted and can’t be viewed, only replaced.`}
    addLabel={t`Add header`}
    onAdd={headers.length < headersMax ? () => onChange([...headers, { name: '', value: '' }]) : undefined}
  >
    {headers.map(({ name, value }, index) => {
      const isKept = value === undefined
      const replace = (header: Header) => onChange(headers.map((one, at) => (at === index ? header : one)))
      /** Emptied again, a stored value stays. */
      const setValue = (next: string) =>
        replace(next === '' && stored.includes(name) ? { name } : { name, value: next })
      return (
        <FormRow
          // biome-ignore lint/suspicious/noArrayIndexKey: names may be empty or there twice while they are edited
          key={index}
          removeLabel={t`Remove ${name || t`header ${index + 1}`}`}
          onRemove={() => onChange(headers.filter((_, at) => at !== index))}
        >
          <TextField
            label={t`Name`}
            name={`headers[${index}]`}
            dir="ltr"
            value={name}
            maxLength={100}
            spellCheck={false}
            placeholder={t`e.g. Authorization`}
            readOnly={isKept}
            onChange={({ target }) => replace({ name: target.value.trim(), value: value ?? '' })}
          />
          <TextField
            label={t`Value`}
            type="password"
            autoComplete="new-password"
            dir="ltr"
            value={value ?? ''}
            maxLength={4_000}
            placeholder={isKept ? t`Set. Type to replace` : ''}
            onChange={({ target }) => setValue(target.value)}
          />
        </FormRow>
      )
    })}
  </FormRows>
)
