import type { ReactNode } from 'react'
import { t } from '../words/t.ts'
import { Checkbox, useFieldProblem } from './field.tsx'

type Option<T extends string> = { value: T; label: ReactNode }

/** Any number of a few options. Chosen ones that are no longer offered are shown, so that they can be removed. */
export const CheckGroup = <T extends string>({
  label,
  hint,
  name = '',
  options,
  chosen,
  onChange,
}: {
  label: string
  hint?: string
  name?: string
  /** Undefined while they are loading. */
  options: readonly Option<T>[] | undefined
  chosen: readonly T[]
  onChange: (chosen: T[]) => void
}) => {
  const problem = useFieldProblem(name)
  const gone = options ? chosen.filter((one) => options.every(({ value }) => value !== one)) : []
  const all: Option<T>[] = [
    ...(options ?? []),
    ...gone.map((value) => ({ value, label: t`No longer exists` })),
  ]
  if (all.length === 0) return null
  return (
    <fieldset className="field">
      <legend className="field__label">{label}</legend>
      {hint && <p className="field__hint">{hint}</p>}
      <div className="row row--wrap">
        {all.map(({ value, label }) => (
          <Checkbox
            key={value}
            label={label}
            checked={chosen.includes(value)}
            onChange={() =>
              onChange(
                chosen.includes(value) ? chosen.filter((other) => other !== value) : [...chosen, value],
              )
            }
          />
        ))}
      </div>
      {problem && (
        <p className="field__problem" role="alert">
          {problem}
        </p>
      )}
    </fieldset>
  )
}

/** Things with ids and names that people gave. */
export const namedOptions = (list: readonly { id: string; name: string }[] | undefined) =>
  list?.map(({ id, name }) => ({ value: id, label: <bdi>{name}</bdi> }))
