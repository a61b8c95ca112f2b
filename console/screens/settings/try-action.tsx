// Calls an action as it is saved, and shows what a flow would get.
import { useMutation } from '@tanstack/react-query'
import { Play } from 'lucide-react'
import { useState } from 'react'
import type { ApiError } from '../../state/api.ts'
import { useApi } from '../../state/session.tsx'
import type { Action, TriedAction } from '../../state/types.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Select, TextField } from '../../ui/field.tsx'
import { Fact, Facts, Section } from '../../ui/page.tsx'
import { rich, t } from '../../words/t.ts'

const OUTCOMES = {
  done: [t`Done`, 'ok'],
  notFound: [t`Not found`, 'warn'],
  refused: [t`Refused`, 'warn'],
  failed: [t`Failed`, 'danger'],
  unknown: [t`Unknown`, 'danger'],
} as const

type Values = Record<string, string>

export const TryAction = ({ action, isChanged }: { action: Action; isChanged: boolean }) => {
  const api = useApi()
  const [values, setValues] = useState<Values>({})
  const attempt = useMutation<TriedAction, ApiError, Values>({
    mutationFn: (parameters) => api.post(`/actions/${action.id}/try`, { parameters }),
  })
  const fields = action.parameters
  const given = Object.fromEntries(fields.map(({ name }) => [name, values[name] ?? '']))
  return (
    <Section title={t`Try it`} about={t`Makes the request for real, with the values that you enter.`}>
      <div className="stack">
        {fields.length > 0 && (
          <div className="grid-2">
            {fields.map((field) => (
              <Value
                key={field.name}
                field={field}
                value={given[field.name]!}
                onChange={(value) => setValues({ ...values, [field.name]: value })}
              />
            ))}
          </div>
        )}
        <div className="row">
          <Button
            icon={Play}
            isBusy={attempt.isPending}
            disabled={isChanged}
            onClick={() => attempt.mutate(given)}
          >
            {t`Try it`}
          </Button>
          {isChanged && <span className="text-soft">{t`Save your changes first.`}</span>}
        </div>
        <div role="status" className="stack">
          {attempt.isPending && <p className="text-soft">{t`Waiting for the response…`}</p>}
          {attempt.error && !attempt.isPending && <p className="text-danger">{attempt.error.message}</p>}
          {attempt.data && !attempt.isPending && <Result result={attempt.data} />}
        </div>
      </div>
    </Section>
  )
}

const Value = ({
  field: { name, type, isRequired, options = [] },
  value,
  onChange,
}: {
  field: Action['parameters'][number]
  value: string
  onChange: (value: string) => void
}) => {
  const label = isRequired ? name : t`${name} (optional)`
  const choices = type === 'boolean' ? ['true', 'false'] : options
  return type === 'boolean' || type === 'enum' ? (
    <Select
      label={label}
      value={value}
      options={['', ...choices].map((choice) => ({ value: choice, label: choice || '–' }))}
      onChange={({ target }) => onChange(target.value)}
    />
  ) : (
    <TextField
      label={label}
      value={value}
      inputMode={type === 'number' ? 'decimal' : undefined}
      onChange={({ target }) => onChange(target.value)}
    />
  )
}

const Result = ({
  result: { outcome, status, kept, problem, preview, durationMs },
}: {
  result: TriedAction
}) => {
  const [label, tone] = OUTCOMES[outcome]
  return (
    <>
      <div className="row row--wrap">
        <Badge tone={tone}>{label}</Badge>
        <span className="text-soft">
          {rich`${status === null ? t`No response` : t`Status ${status}`} · ${durationMs} ms`}
        </span>
      </div>
      {problem && <p>{problem.message}</p>}
      {typeof kept === 'object' && kept !== null && (
        <Facts>
          {Object.entries(kept).map(([name, value]) => (
            <Fact key={name} name={name}>
              <bdi className="user-text">
                {value === null ? <span className="text-soft">{t`Not in the response`}</span> : shown(value)}
              </bdi>
            </Fact>
          ))}
        </Facts>
      )}
      {preview !== '' && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and keys need it focused
        <section className="response" tabIndex={0} aria-label={t`Response`}>
          <pre dir="auto">{preview}</pre>
        </section>
      )}
    </>
  )
}

const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
