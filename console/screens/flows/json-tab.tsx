// The definition as text. It is checked while it is typed, and becomes the draft once it is a flow.
import { useEffect, useState } from 'react'
import type { Problem } from '../../../flow-engine/problems.ts'
import type { FlowDefinition } from '../../../flow-engine/schema.ts'
import { said } from '../../state/said.ts'
import { Button } from '../../ui/button.tsx'
import { TextArea } from '../../ui/field.tsx'
import { rich, t } from '../../words/t.ts'
import { checkDraft } from './check-draft.ts'
import { isSound } from './definition/is-sound.ts'
import { useEditor } from './editor-context.tsx'
import { lineOfStep, readJson } from './read-json.ts'

const CHECK_AFTER_MS = 250

type Reading = { definition: FlowDefinition | null; findings: { line: number | null; message: string }[] }

const read = (text: string): Reading => {
  const json = readJson(text)
  if ('problem' in json) return { definition: null, findings: [{ line: json.line, message: json.problem }] }
  const value = json.value
  if (!isSound(value))
    return {
      definition: null,
      findings: [
        {
          line: null,
          message: t`A flow needs language, triggers, start and blocks with steps of known types.`,
        },
      ],
    }
  const findings = checkDraft(value, null).map((problem: Problem) => ({
    line: problem.stepId === null ? null : lineOfStep(text, problem.stepId),
    message: said(problem.message),
  }))
  return { definition: value, findings }
}

const JsonTab = () => {
  const { definition, change, isReadOnly } = useEditor()
  const [text, setText] = useState(() => JSON.stringify(definition, null, 2))
  const [reading, setReading] = useState<Reading>({ definition, findings: [] })
  const [written, setWritten] = useState(definition)
  // Undo, or a choice between two people's changes, came from elsewhere.
  if (definition !== written) {
    setWritten(definition)
    setText(JSON.stringify(definition, null, 2))
  }
  useEffect(() => {
    const timer = setTimeout(() => setReading(read(text)), CHECK_AFTER_MS)
    return () => clearTimeout(timer)
  }, [text])

  const apply = (next: string): void => {
    setText(next)
    const json = readJson(next)
    if (!('value' in json) || !isSound(json.value)) return
    const value = json.value
    setWritten(value)
    change(() => value, 'json')
  }
  const { findings, definition: understood } = reading
  return (
    <div className="stack">
      <TextArea
        label={t`Definition`}
        hint={t`Applies as you type, as soon as it is a flow.`}
        className="text-mono flow-json"
        spellCheck={false}
        autoComplete="off"
        dir="ltr"
        rows={28}
        readOnly={isReadOnly}
        value={text}
        onChange={({ target }) => apply(target.value)}
      />
      <section className="section" aria-label={t`Problems`}>
        <h2 className="section__title">
          <span role="status">
            {understood === null
              ? t`Not applied yet`
              : findings.length === 0
                ? t`No problems`
                : findings.length === 1
                  ? t`1 problem`
                  : t`${findings.length} problems`}
          </span>
        </h2>
        {findings.length > 0 && (
          <ul className="stack stack--tight">
            {findings.map(({ line, message }, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the same problem can come twice
              <li key={at} className="text-small">
                {line !== null && <span className="text-soft numeric">{rich`Line ${line}:`} </span>}
                {message}
              </li>
            ))}
          </ul>
        )}
        {understood === null && (
          <span>
            <Button size="small" onClick={() => setText(JSON.stringify(definition, null, 2))}>
              {t`Back to the draft`}
            </Button>
          </span>
        )}
      </section>
    </div>
  )
}
export default JsonTab
