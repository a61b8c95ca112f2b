// The answer of a person who is the model: words, or a call of a tool with fields for its parameters.
import { type FormEvent, useEffect, useState } from 'react'
import { Button } from '../../console/ui/button.tsx'
import { Checkbox, Select, TextArea, TextField } from '../../console/ui/field.tsx'
import { toastError } from '../../console/ui/toast.tsx'
import { answerAsModel, type Json, type ShownModel } from './client.ts'

type Request = ShownModel['waiting'][number]
type Schema = { type?: string; enum?: string[]; description?: string; items?: { type?: string } }

const WORDS = ''
const SHORT_MAX = 40

export const ModelAnswer = ({ request: { id, heard, endsAtMs } }: { request: Request }) => {
  const { tools } = heard
  // The last one ends the turn.
  const [name, setName] = useState(tools.at(-1)?.name ?? WORDS)
  const [values, setValues] = useState<Record<string, string>>({})
  const [text, setText] = useState('')
  const parameters = tools.find((tool) => tool.name === name)?.parameters
  const fields = Object.entries((parameters?.properties ?? {}) as Record<string, Schema>)
  const required = (parameters?.required ?? []) as string[]

  const send = (event: FormEvent): void => {
    event.preventDefault()
    try {
      const answer = name === WORDS ? { text } : { calls: [{ name, arguments: argumentsOf(fields, values) }] }
      answerAsModel(id, answer).catch(toastError)
    } catch {
      toastError(new Error('One of the fields isn’t valid JSON.'))
    }
  }

  return (
    <form className="model__answer" aria-label="Your answer" onSubmit={send}>
      <div className="row row--between">
        <Select
          label="Answer with"
          isLabelHidden
          value={name}
          options={[
            ...tools.map((tool) => ({ value: tool.name, label: tool.name })),
            { value: WORDS, label: 'Text only' },
          ]}
          onChange={({ target }) => {
            setName(target.value)
            setValues({})
          }}
        />
        <Countdown endsAtMs={endsAtMs} />
        <Button type="submit" variant="primary">
          Answer
        </Button>
      </div>
      <div className="model__fields">
        {name === WORDS && (
          <TextArea label="Text" rows={3} value={text} onChange={({ target }) => setText(target.value)} />
        )}
        {fields.map(([key, schema]) => (
          <Field
            key={`${name} ${key}`}
            name={required.includes(key) ? key : `${key} (optional)`}
            schema={schema}
            value={values[key] ?? ''}
            onChange={(value) => setValues({ ...values, [key]: value })}
          />
        ))}
      </div>
    </form>
  )
}

const Countdown = ({ endsAtMs }: { endsAtMs: number }) => {
  const [nowMs, setNowMs] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), 500)
    return () => clearInterval(timer)
  }, [])
  const seconds = Math.max(0, Math.ceil((endsAtMs - nowMs) / 1_000))
  return (
    <small className="numeric grow" title="Then the rules answer, so that the customer isn’t left waiting.">
      {seconds} s left
    </small>
  )
}

type FieldProps = { name: string; schema: Schema; value: string; onChange: (value: string) => void }

const Field = ({ name, schema, value, onChange }: FieldProps) => {
  if (schema.enum)
    return (
      <Select
        label={name}
        value={value}
        options={[{ value: '', label: '' }, ...schema.enum.map((one) => ({ value: one, label: one }))]}
        onChange={({ target }) => onChange(target.value)}
      />
    )
  if (schema.type === 'boolean')
    return (
      <Checkbox
        label={name}
        checked={value === 'true'}
        onChange={({ target }) => onChange(String(target.checked))}
      />
    )
  const isLong = schema.type !== 'number' && schema.type !== 'integer'
  const hint = hintOf(schema)
  return isLong ? (
    <TextArea
      label={name}
      rows={isList(schema) ? 2 : value.length > SHORT_MAX ? 3 : 1}
      value={value}
      {...(hint && { hint })}
      onChange={({ target }) => onChange(target.value)}
    />
  ) : (
    <TextField
      label={name}
      inputMode="decimal"
      value={value}
      onChange={({ target }) => onChange(target.value)}
    />
  )
}

const isList = ({ type, items }: Schema): boolean => type === 'array' && items?.type === 'string'

const hintOf = (schema: Schema): string | undefined => {
  if (isList(schema)) return 'One per line'
  return schema.type === 'array' || schema.type === 'object' ? 'JSON' : undefined
}

/** What was left empty is left out. Throws a SyntaxError. */
const argumentsOf = (fields: [string, Schema][], values: Record<string, string>): Json =>
  Object.fromEntries(
    fields.flatMap(([key, schema]) => {
      const value = values[key] ?? ''
      return value === '' ? [] : [[key, readValue(schema, value)]]
    }),
  )

const readValue = (schema: Schema, value: string): unknown => {
  if (schema.type === 'boolean') return value === 'true'
  if (schema.type === 'number' || schema.type === 'integer') return Number(value)
  if (isList(schema)) return value.split('\n').filter((line) => line.trim() !== '')
  return schema.type === 'array' || schema.type === 'object' ? JSON.parse(value) : value
}
