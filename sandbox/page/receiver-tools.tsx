// The tools next to the webhook receiver: the secret that signatures are checked with, and failures.
import { X } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Badge } from '../../console/ui/badge.tsx'
import { Button, IconButton } from '../../console/ui/button.tsx'
import { CopyField } from '../../console/ui/copy-field.tsx'
import { Select, TextField } from '../../console/ui/field.tsx'
import { Section } from '../../console/ui/page.tsx'
import { toastError } from '../../console/ui/toast.tsx'
import { addReceiverFault, clearReceiver, removeReceiverFault, setReceiverSecret } from './client.ts'
import { useStore } from './store.ts'

const FAILURES = [
  { value: 'server-error', label: 'Server error (500)' },
  { value: 'gone', label: 'Gone (410), disables the webhook' },
  { value: 'hang', label: 'No response' },
  { value: 'slow', label: 'Slow: responds after 5 seconds' },
  { value: 'cut', label: 'Connection lost' },
]
const TIMES = [
  { value: '1', label: 'Next request' },
  { value: '3', label: 'Next 3 requests' },
  { value: '10', label: 'Next 10 requests' },
]

const failureName = (kind: string): string => FAILURES.find(({ value }) => value === kind)?.label ?? kind

export const ReceiverTools = () => {
  const { receiver } = useStore()
  const [failure, setFailure] = useState(FAILURES[0]!.value)
  const [times, setTimes] = useState(TIMES[0]!.value)
  return (
    <>
      <Section title="Signature">
        {receiver?.hasSecret ? <StoredSecret /> : <NewSecret />}
        {receiver && <CopyField label="URL" value={receiver.url} />}
      </Section>
      <Section title="Simulate a failure of the receiver">
        <Select
          label="Failure"
          isLabelHidden
          value={failure}
          options={FAILURES}
          onChange={({ target }) => setFailure(target.value)}
        />
        <Select
          label="How often"
          isLabelHidden
          value={times}
          options={TIMES}
          onChange={({ target }) => setTimes(target.value)}
        />
        <Button variant="primary" onClick={() => addReceiverFault(failure, Number(times)).catch(toastError)}>
          Fail
        </Button>
        {receiver && receiver.faults.length > 0 && (
          <ul className="stack stack--tight faults">
            {receiver.faults.map(({ id, kind, left }) => (
              <li key={id} className="banner banner--danger">
                <span className="grow">
                  {failureName(kind)}
                  {left !== null && left > 1 && ` · ${left} times`}
                </span>
                <IconButton
                  icon={X}
                  size="small"
                  label="Remove"
                  onClick={() => removeReceiverFault(id).catch(toastError)}
                />
              </li>
            ))}
          </ul>
        )}
      </Section>
      {receiver && receiver.received.length > 0 && (
        <Section title="Log">
          <Button onClick={() => clearReceiver().catch(toastError)}>Clear webhooks</Button>
        </Section>
      )}
    </>
  )
}

const NewSecret = () => {
  const [secret, setSecret] = useState('')
  const save = (event: FormEvent): void => {
    event.preventDefault()
    setReceiverSecret(secret.trim()).catch(toastError)
  }
  return (
    <form className="stack" onSubmit={save}>
      <TextField
        label="Signing secret"
        value={secret}
        placeholder="whsec_…"
        autoComplete="off"
        spellCheck={false}
        hint="Shown in the console when you create a webhook or rotate its secret."
        onChange={({ target }) => setSecret(target.value)}
      />
      <Button type="submit" variant="primary" disabled={secret.trim() === ''}>
        Check signatures
      </Button>
    </form>
  )
}

const StoredSecret = () => (
  <div className="row row--between">
    <Badge tone="ok">Secret set</Badge>
    <Button size="small" onClick={() => setReceiverSecret(null).catch(toastError)}>
      Change
    </Button>
  </div>
)
