// Chooses a path such as contact.email: from those that are known, or typed.
import { useId } from 'react'
import { FormField } from '../../../ui/field.tsx'
import { t } from '../../../words/t.ts'
import { pathWords } from '../definition/words.ts'
import type { KnownPath } from './variables.ts'

export const PathInput = ({
  label,
  isLabelHidden = true,
  value,
  paths,
  placeholder,
  onChange,
}: {
  label: string
  isLabelHidden?: boolean
  value: string
  paths: readonly KnownPath[]
  placeholder?: string
  onChange: (path: string) => void
}) => {
  const list = useId()
  return (
    <FormField label={label} isLabelHidden={isLabelHidden}>
      {(wiring) => (
        <>
          <input
            {...wiring}
            className="input"
            list={list}
            value={value}
            placeholder={placeholder ?? t`e.g. contact.email`}
            autoComplete="off"
            spellCheck={false}
            onChange={({ target }) => onChange(target.value)}
          />
          <datalist id={list}>
            {paths.map(({ path }) => (
              <option key={path} value={path} label={pathWords(path)} />
            ))}
          </datalist>
        </>
      )}
    </FormField>
  )
}
