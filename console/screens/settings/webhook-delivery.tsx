import { useMutation } from '@tanstack/react-query'
import { dateTimeOf, fullMoment } from '../../state/dates.ts'
import { useApi } from '../../state/session.tsx'
import type { DeliveryDetails } from '../../state/webhooks.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Disclosure } from '../../ui/disclosure.tsx'
import { LoadProblem } from '../../ui/empty-state.tsx'
import { Fact, Facts } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/spinner.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { t } from '../../words/t.ts'
import { useSetting, useSettingsChanged } from './use-setting.ts'
import { AttemptResult, Bytes } from './webhook-bytes.tsx'
import { DELIVERY_LOOKS } from './webhook-words.ts'

/** One delivery: what was sent, and each attempt with what came back. */
export const ShownDelivery = ({ deliveryId, onClose }: { deliveryId: string; onClose: () => void }) => {
  const api = useApi()
  const changed = useSettingsChanged()
  const path = `/webhook-deliveries/${deliveryId}`
  const { data, error, refetch } = useSetting<DeliveryDetails>(`webhook-delivery ${deliveryId}`, path)
  const retry = useMutation({
    mutationFn: () => api.post(`${path}/retry`),
    onSuccess: async () => {
      await changed()
      toast(t`Sending again`)
    },
    onError: toastError,
  })
  return (
    <Dialog
      title={data?.delivery.type ?? t`Delivery`}
      isOpen
      isWide
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>{t`Close`}</Button>
          {data && data.delivery.kind !== 'test' && (
            <Button isBusy={retry.isPending} onClick={() => retry.mutate()}>
              {t`Retry`}
            </Button>
          )}
        </>
      }
    >
      {error ? (
        <LoadProblem error={error} onRetry={() => void refetch()} />
      ) : data ? (
        <Details {...data} />
      ) : (
        <Skeleton lines={6} />
      )}
    </Dialog>
  )
}

const Details = ({ delivery, attempts, requestBody }: DeliveryDetails) => {
  const { state, eventId, sequence, nextAttemptAt } = delivery
  const { tone, label } = DELIVERY_LOOKS[state]
  return (
    <div className="stack stack--fields">
      <Facts>
        <Fact name={t`State`}>
          <Badge tone={tone}>{label}</Badge>
        </Fact>
        {nextAttemptAt && <Fact name={t`Next attempt`}>{fullMoment(nextAttemptAt)}</Fact>}
        <Fact name={t`Event`}>
          <code className="text-mono user-text">{eventId}</code>
        </Fact>
        {sequence !== null && <Fact name={t`Sequence`}>{sequence}</Fact>}
      </Facts>
      {requestBody === null ? (
        <p className="text-soft">{t`The event isn’t kept anymore, so what was sent can’t be shown.`}</p>
      ) : (
        <Bytes label={t`What was sent`}>{requestBody}</Bytes>
      )}
      {attempts.length === 0 && <p className="text-soft">{t`No attempts yet.`}</p>}
      {attempts.map((attempt, index) => (
        <Disclosure
          key={attempt.number}
          isOpen={index === 0}
          title={t`Attempt ${attempt.number}, ${dateTimeOf(attempt.at)}`}
        >
          <AttemptResult attempt={attempt} />
        </Disclosure>
      ))}
    </div>
  )
}
