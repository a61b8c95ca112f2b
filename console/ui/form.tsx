import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { FieldProblems, FormProblem } from './field.tsx'

type Refusal = { code?: string; message?: string; details?: { field: string; message: string }[] }

/**
 * A form. `onSubmit` gets the fields' values by `name`; the server validates them, and the first invalid field takes
 * focus. `fieldOf` maps an error code to a field, for errors without details.
 */
export const Form = ({
  id,
  error,
  fieldOf = {},
  onSubmit,
  children,
}: {
  id?: string
  error: unknown
  fieldOf?: Record<string, string>
  onSubmit: (values: Record<string, string>) => void
  children: ReactNode
}) => {
  const form = useRef<HTMLFormElement>(null)
  const [named, setNamed] = useState<string[]>([])
  const refusal = error as Refusal | null
  const field = refusal?.code ? fieldOf[refusal.code] : undefined
  const details = field ? [{ field, message: refusal?.message ?? '' }] : refusal?.details
  useEffect(() => {
    if (!error) return
    const wrong = form.current?.querySelector<HTMLElement>('[aria-invalid], [data-invalid]')
    // The invalid field may be in a collapsed section.
    wrong?.closest('details')?.setAttribute('open', '')
    wrong?.focus()
  }, [error])
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const values: Record<string, string> = {}
    for (const [name, value] of new FormData(event.currentTarget))
      if (typeof value === 'string') values[name] = value
    // `secret:kept` marks a secret field that is present without its value.
    setNamed(Object.keys(values).map((name) => name.split(':', 1)[0]!))
    onSubmit(values)
  }
  return (
    <form id={id} ref={form} className="stack stack--fields" noValidate autoComplete="off" onSubmit={submit}>
      <FieldProblems details={details}>
        {!field && <FormProblem error={error} fields={named} />}
        {children}
      </FieldProblems>
    </form>
  )
}
