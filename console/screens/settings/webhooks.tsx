import { Plus, Webhook } from 'lucide-react'
import { agoOf } from '../../state/dates.ts'
import type { WebhookEndpoint } from '../../state/webhooks.ts'
import { Badge } from '../../ui/badge.tsx'
import { ButtonLink } from '../../ui/button.tsx'
import { EmptyState, LoadProblem } from '../../ui/empty-state.tsx'
import { Item, ItemList } from '../../ui/item-list.tsx'
import { SidePage } from '../../ui/side-pages.tsx'
import { SkeletonRows } from '../../ui/spinner.tsx'
import { rich, t } from '../../words/t.ts'
import { useSetting } from './use-setting.ts'
import { eventTypesLabel, rateWords, statusLook } from './webhook-words.ts'

export const WebhooksSettings = () => {
  const { data, error, refetch } = useSetting<{ webhookEndpoints: WebhookEndpoint[] }>(
    'webhooks',
    '/webhook-endpoints',
  )
  return (
    <SidePage
      title={t`Webhooks`}
      about={rich`Send events to your own programs as they happen. ${<a href="/docs/guides/webhooks">{t`How to receive them`}</a>}`}
      actions={
        <ButtonLink
          to="/settings/webhooks/$endpointId"
          params={{ endpointId: 'new' }}
          variant="primary"
          icon={Plus}
        >
          {t`New webhook`}
        </ButtonLink>
      }
    >
      {error ? (
        <LoadProblem error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <SkeletonRows rows={2} />
      ) : data.webhookEndpoints.length === 0 ? (
        <EmptyState icon={Webhook} title={t`No webhooks yet`}>
          {t`Create one with the address of your program, then send it a test event.`}
        </EmptyState>
      ) : (
        <ItemList label={t`Webhooks`}>
          {data.webhookEndpoints.map((endpoint) => (
            <EndpointItem key={endpoint.id} endpoint={endpoint} />
          ))}
        </ItemList>
      )}
    </SidePage>
  )
}

const EndpointItem = ({ endpoint }: { endpoint: WebhookEndpoint }) => {
  const { id, name, url, eventTypes } = endpoint
  const { label, tone } = statusLook(endpoint)
  return (
    <Item
      title={<bdi>{name}</bdi>}
      about={
        <>
          <code className="text-mono">{URL.parse(url)?.host}</code> · {eventTypesLabel(eventTypes)}
          <br />
          {healthWords(endpoint)}
        </>
      }
      meta={<Badge tone={tone}>{label}</Badge>}
      link={{ to: '/settings/webhooks/$endpointId', params: { endpointId: id } }}
    />
  )
}

const healthWords = ({
  health: { pending, failingSince, successRate24h, p50Ms, p95Ms },
}: WebhookEndpoint): string =>
  [
    failingSince && t`Failing since ${agoOf(failingSince)}`,
    pending > 0 && t`${pending} pending`,
    successRate24h !== null && t`${rateWords(successRate24h)} delivered in 24 hours`,
    p50Ms !== null && t`p50 ${p50Ms} ms`,
    p95Ms !== null && t`p95 ${p95Ms} ms`,
  ]
    .filter(Boolean)
    .join(' · ') || t`Nothing sent in the last 24 hours`
