import { useMutation } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { Suspense } from 'react'
import type { ApiError } from '../../state/api.ts'
import { agoOf, fullMoment } from '../../state/dates.ts'
import { useApi } from '../../state/session.tsx'
import type {
  CreatedEndpoint,
  EndpointAnswer,
  NewWebhookEndpoint,
  WebhookEndpoint,
} from '../../state/webhooks.ts'
import { Badge } from '../../ui/badge.tsx'
import { Banner } from '../../ui/banner.tsx'
import { LoadProblem } from '../../ui/empty-state.tsx'
import { Fact, Facts } from '../../ui/page.tsx'
import { ShownSecret } from '../../ui/shown-secret.tsx'
import { SidePage } from '../../ui/side-pages.tsx'
import { Skeleton } from '../../ui/spinner.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { toast } from '../../ui/toast.tsx'
import { rich, t } from '../../words/t.ts'
import { BackLink } from './back-link.tsx'
import { useSetting, useSettingsChanged } from './use-setting.ts'
import { WebhookActions } from './webhook-actions.tsx'
import { WebhookDeliveries } from './webhook-deliveries.tsx'
import { WebhookForm } from './webhook-form.tsx'
import { rateWords, reasonWords, statusLook } from './webhook-words.ts'

/** One of the workspace's webhooks, or a new one. */
export const WebhookSettings = () => {
  const { endpointId } = useParams({ from: '/signed/settings/webhooks/$endpointId' })
  return endpointId === 'new' ? <Create /> : <Stored key={endpointId} endpointId={endpointId} />
}

const NEW: NewWebhookEndpoint = {
  name: '',
  url: '',
  eventTypes: null,
  filter: {},
  payload: 'thin',
  ordering: 'conversation',
  maxInFlight: 10,
  headers: [],
}

const Create = () => {
  const api = useApi()
  const changed = useSettingsChanged()
  const navigate = useNavigate()
  const create = useMutation<CreatedEndpoint, ApiError, NewWebhookEndpoint>({
    mutationFn: ({ name, ...given }) => api.post('/webhook-endpoints', { ...given, ...(name && { name }) }),
    onSuccess: () => changed(),
  })
  return (
    <SidePage title={t`New webhook`} back={<BackLink to="webhooks" />}>
      <WebhookForm given={NEW} submitLabel={t`Create webhook`} isNew save={create} />
      <Suspense>
        {create.data?.secret && (
          <ShownSecret
            title={t`Your signing secret`}
            label={t`Secret`}
            secret={create.data.secret}
            onClose={() =>
              void navigate({
                to: '/settings/webhooks/$endpointId',
                params: { endpointId: create.data.webhookEndpoint.id },
                replace: true,
              })
            }
          >
            <p className="text-soft">{t`Your program needs it to check that requests come from Foyer.`}</p>
          </ShownSecret>
        )}
      </Suspense>
    </SidePage>
  )
}

const Stored = ({ endpointId }: { endpointId: string }) => {
  const { data, error, refetch } = useSetting<EndpointAnswer>(
    `webhook ${endpointId}`,
    `/webhook-endpoints/${endpointId}`,
  )
  if (error) return <LoadProblem error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton lines={6} />
  const { webhookEndpoint: endpoint } = data
  const { label, tone } = statusLook(endpoint)
  const reason = reasonWords(endpoint)
  return (
    <SidePage
      title={
        <>
          <bdi>{endpoint.name}</bdi> <Badge tone={tone}>{label}</Badge>
        </>
      }
      about={<code className="text-mono user-text">{endpoint.url}</code>}
      back={<BackLink to="webhooks" />}
      actions={<WebhookActions endpoint={endpoint} />}
    >
      {endpoint.status === 'disabled' && (
        <Banner tone="warn">{rich`${reason} Events aren’t sent until you enable it.`}</Banner>
      )}
      {endpoint.status === 'paused' && (
        <Banner tone="warn">{t`Events are kept and will be sent once you enable it.`}</Banner>
      )}
      <Health endpoint={endpoint} />
      <Tabs
        label={t`Webhook`}
        tabs={[
          { id: 'deliveries', label: t`Deliveries`, content: <WebhookDeliveries endpointId={endpointId} /> },
          { id: 'settings', label: t`Settings`, content: <Edit endpoint={endpoint} /> },
        ]}
      />
    </SidePage>
  )
}

const Moment = ({ at }: { at: string }) => <span title={fullMoment(at)}>{agoOf(at)}</span>

const Health = ({
  endpoint: { health, secretPrefix, previousSecretValidUntil, createdAt, createdBy },
}: {
  endpoint: WebhookEndpoint
}) => {
  const { pending, oldestPendingAt, failingSince, lastSuccessAt, successRate24h, p50Ms, p95Ms } = health
  return (
    <Facts>
      {failingSince && (
        <Fact name={t`Failing since`}>
          <Moment at={failingSince} />
        </Fact>
      )}
      <Fact name={t`Pending`}>
        {pending}
        {oldestPendingAt && (
          <>
            {t`, the oldest from`} <Moment at={oldestPendingAt} />
          </>
        )}
      </Fact>
      <Fact name={t`Last success`}>{lastSuccessAt ? <Moment at={lastSuccessAt} /> : t`Never`}</Fact>
      <Fact name={t`Delivered in 24 hours`}>
        {successRate24h === null ? t`Nothing sent` : rateWords(successRate24h)}
      </Fact>
      {p50Ms !== null && p95Ms !== null && (
        <Fact name={t`Response time`}>{rich`p50 ${p50Ms} ms · p95 ${p95Ms} ms`}</Fact>
      )}
      <Fact name={t`Secret`}>
        <code className="text-mono">{secretPrefix}…</code>
        {previousSecretValidUntil && t` · the old secret works until ${fullMoment(previousSecretValidUntil)}`}
      </Fact>
      <Fact name={t`Created`}>
        <Moment at={createdAt} />
        {createdBy.name && <> {rich`by ${<bdi>{createdBy.name}</bdi>}`}</>}
      </Fact>
    </Facts>
  )
}

/** The values of its headers are unknown here: those that aren't entered again stay. */
const draftOf = ({
  name,
  url,
  eventTypes,
  filter,
  payload,
  ordering,
  maxInFlight,
  headers,
}: WebhookEndpoint): NewWebhookEndpoint => ({
  ...{ name, url, eventTypes, filter, payload, ordering, maxInFlight },
  headers: headers.map(({ name }) => ({ name })),
})

const Edit = ({ endpoint }: { endpoint: WebhookEndpoint }) => {
  const api = useApi()
  const changed = useSettingsChanged()
  const save = useMutation<EndpointAnswer, ApiError, NewWebhookEndpoint>({
    mutationFn: (given) => api.patch(`/webhook-endpoints/${endpoint.id}`, given),
    onSuccess: async () => {
      await changed()
      toast(t`Saved`)
    },
  })
  return <WebhookForm key={endpoint.updatedAt} given={draftOf(endpoint)} submitLabel={t`Save`} save={save} />
}
