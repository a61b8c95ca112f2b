import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { ApiError } from '../../state/api.ts'
import { useApi } from '../../state/session.tsx'
import type { TestedEndpoint, WebhookEndpoint } from '../../state/webhooks.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { FormProblem, Select } from '../../ui/field.tsx'
import { t } from '../../words/t.ts'
import { useSettingsChanged } from './use-setting.ts'
import { AttemptResult, Bytes } from './webhook-bytes.tsx'
import { EVENT_TYPES } from './webhook-words.ts'

/** Sends a test event, and shows what was signed and what came back. */
export const TestWebhook = ({ endpoint, onClose }: { endpoint: WebhookEndpoint; onClose: () => void }) => {
  const api = useApi()
  const changed = useSettingsChanged()
  const [type, setType] = useState('ping')
  const test = useMutation<TestedEndpoint, ApiError, string>({
    mutationFn: (type) => api.post(`/webhook-endpoints/${endpoint.id}/test`, { type }),
    onSuccess: () => void changed(),
  })
  return (
    <Dialog
      title={t`Test “${endpoint.name}”`}
      about={t`Sends one event with example data now, also while the webhook is paused. It doesn’t count as a success or failure.`}
      isOpen
      isWide
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>{t`Close`}</Button>
          <Button variant="primary" isBusy={test.isPending} onClick={() => test.mutate(type)}>
            {test.data ? t`Send again` : t`Send`}
          </Button>
        </>
      }
    >
      <div className="stack stack--fields">
        <Select
          label={t`Type`}
          value={type}
          options={['ping', ...EVENT_TYPES].map((value) => ({ value, label: value }))}
          onChange={({ target }) => setType(target.value)}
        />
        <FormProblem error={test.error} />
        <div className="stack stack--fields" role="status">
          {test.data && !test.isPending && <Result result={test.data} />}
        </div>
      </div>
    </Dialog>
  )
}

const Result = ({ result: { attempt, signed } }: { result: TestedEndpoint }) => (
  <>
    {attempt ? (
      <AttemptResult attempt={attempt} />
    ) : (
      <p>{t`The test is still running. See Deliveries below.`}</p>
    )}
    <Bytes label={t`What was signed`}>{`${signed.id}.${signed.timestamp}.${signed.body}`}</Bytes>
  </>
)
