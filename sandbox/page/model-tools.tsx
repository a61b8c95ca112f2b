// The tools next to the language model: who answers for it, and failures.
import { X } from 'lucide-react'
import { useState } from 'react'
import { Button, IconButton } from '../../console/ui/button.tsx'
import { Select } from '../../console/ui/field.tsx'
import { Section } from '../../console/ui/page.tsx'
import { toastError } from '../../console/ui/toast.tsx'
import { BRAINS, failureName, MODEL_FAILURES } from './brains.ts'
import { addModelFault, removeModelFault, setBrain } from './client.ts'
import { useStore } from './store.ts'

export const ModelTools = () => {
  const { model } = useStore()
  const [failure, setFailure] = useState(MODEL_FAILURES[0]!.value)
  return (
    <>
      <Section title="Who answers">
        <Select
          label="Who answers"
          isLabelHidden
          value={model?.brain ?? ''}
          options={BRAINS}
          onChange={({ target }) => setBrain(target.value === '' ? null : target.value).catch(toastError)}
        />
        <p className="text-soft text-small">
          Answers every request, whichever model it names. If you don’t answer within 18 seconds, the rules
          do.
        </p>
      </Section>
      <Section title="Simulate a failure of the model">
        <Select
          label="Failure"
          isLabelHidden
          value={failure}
          options={MODEL_FAILURES}
          onChange={({ target }) => setFailure(target.value)}
        />
        <Button variant="primary" onClick={() => addModelFault(failure).catch(toastError)}>
          Fail next request
        </Button>
        {model && model.faults.length > 0 && (
          <ul className="stack stack--tight faults">
            {model.faults.map(({ id, kind }) => (
              <li key={id} className="banner banner--danger">
                <span className="grow">{failureName(kind)}</span>
                <IconButton
                  icon={X}
                  size="small"
                  label="Remove"
                  onClick={() => removeModelFault(id).catch(toastError)}
                />
              </li>
            ))}
          </ul>
        )}
      </Section>
    </>
  )
}
