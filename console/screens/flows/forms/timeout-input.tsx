import type { StepOf } from '../../../../flow-engine/schema.ts'
import { t } from '../../../words/t.ts'
import { useEditor } from '../editor-context.tsx'
import { DurationInput } from './duration-input.tsx'
import { TargetInput } from './target-input.tsx'

type Timeout = StepOf<'ask'>['timeout']

/** After how long a question is given up, and what then. Without it, it waits for a day and the flow ends. */
export const TimeoutInput = ({
  label,
  value,
  onChange,
}: {
  label: string
  value: Timeout
  onChange: (timeout: Timeout) => void
}) => {
  const { isReadOnly } = useEditor()
  const shown = value ?? { after: 'P1D', then: 'end' }
  return (
    <fieldset className="field" disabled={isReadOnly}>
      <legend className="field__label">{label}</legend>
      <div className="grid-2 grid-2--close">
        <DurationInput
          label={t`Wait for`}
          value={shown.after}
          onChange={(after) => onChange({ ...shown, after })}
        />
        <TargetInput
          label={t`Then`}
          newTitle={t`No reply`}
          value={shown.then}
          onChange={(then) => onChange({ ...shown, then: then ?? 'end' })}
        />
      </div>
    </fieldset>
  )
}
