import { useMutation } from '@tanstack/react-query'
import { Inbox, RotateCw, Trash2 } from 'lucide-react'
import type { ApiError } from '../../state/api.ts'
import { fullMoment, shortMoment } from '../../state/dates.ts'
import { useApi } from '../../state/session.tsx'
import type { Leftover } from '../../state/types.ts'
import { ChannelIcon } from '../../ui/badge.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { Disclosure } from '../../ui/disclosure.tsx'
import { EmptyState, LoadProblem } from '../../ui/empty-state.tsx'
import { Item, ItemList } from '../../ui/item-list.tsx'
import { SidePage } from '../../ui/side-pages.tsx'
import { SkeletonRows } from '../../ui/spinner.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { rich, t } from '../../words/t.ts'
import { BackLink } from './back-link.tsx'
import { leftoversTitle, useLeftovers } from './leftovers-state.ts'
import { useSettingsChanged } from './use-setting.ts'

const REASONS: Record<string, string> = {
  failed: t`Couldn't be stored`,
  account: t`Notice about your account`,
  notConnected: t`For a number or page that isn’t connected`,
  'own mail': t`Sent elsewhere from this address`,
  'no sender': t`No sender`,
  bounce: t`Delivery report for an unknown message`,
  reaction: t`Reaction to an unknown message`,
  edit: t`Edit of an unknown message`,
  revoke: t`Deletion of an unknown message`,
}

export const LeftoversSettings = () => {
  const api = useApi()
  const { data, error, refetch } = useLeftovers()
  const changed = useSettingsChanged()
  const dismiss = useMutation<unknown, ApiError, string[]>({
    mutationFn: (leftoverIds) => api.post('/leftovers/dismiss', { leftoverIds }),
    onSuccess: changed,
    onError: toastError,
  })
  const shown = data?.leftovers ?? []
  return (
    <SidePage
      back={<BackLink />}
      title={data && data.total > 0 ? leftoversTitle(data.total) : t`Deliveries`}
      about={t`Messages and events from your channels that aren't in any conversation. Dismissing deletes them.`}
      actions={
        shown.length > 1 && (
          <Button
            icon={Trash2}
            isBusy={dismiss.isPending}
            onClick={() => dismiss.mutate(shown.filter(({ canRetry }) => !canRetry).map(({ id }) => id))}
            disabled={shown.every(({ canRetry }) => canRetry)}
          >
            {t`Dismiss all that can’t be retried`}
          </Button>
        )
      }
    >
      {error ? (
        <LoadProblem error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <SkeletonRows rows={3} />
      ) : shown.length === 0 ? (
        <EmptyState icon={Inbox} title={t`Nothing needs attention`}>
          {t`Deliveries that couldn't be stored or understood will appear here.`}
        </EmptyState>
      ) : (
        <ItemList label={t`Deliveries`}>
          {shown.map((leftover) => (
            <LeftoverItem
              key={leftover.id}
              leftover={leftover}
              onChanged={changed}
              onDismiss={() => dismiss.mutate([leftover.id])}
            />
          ))}
        </ItemList>
      )}
    </SidePage>
  )
}

const LeftoverItem = ({
  leftover: { id, channel, channelName, reason, error, raw, canRetry, nextTryAt, createdAt },
  onChanged,
  onDismiss,
}: {
  leftover: Leftover
  onChanged: () => Promise<void>
  onDismiss: () => void
}) => {
  const api = useApi()
  const retry = useMutation<{ stored: boolean; problem: string | null }, ApiError>({
    mutationFn: () => api.post('/leftovers/retry', { leftoverId: id }),
    onSuccess: async ({ stored, problem }) => {
      toast(stored ? t`Stored` : t`Still can’t be stored: ${problem}`, { tone: stored ? 'plain' : 'danger' })
      await onChanged()
    },
    onError: (error) => {
      toastError(error)
      // It may have been stored in the meantime: it is also retried automatically.
      void onChanged()
    },
  })
  return (
    <Item
      lead={
        <span className="icon-tile">
          <ChannelIcon channel={channel} size={18} />
        </span>
      }
      title={REASONS[reason] ?? t`Not understood`}
      about={
        <>
          <bdi>{channelName}</bdi>
          {' · '}
          <time dateTime={createdAt} title={fullMoment(createdAt)}>
            {shortMoment(createdAt)}
          </time>
          {nextTryAt && <> {rich`· Next retry ${shortMoment(nextTryAt)}`}</>}
          {error && <div className="text-danger">{error}</div>}
          <Disclosure title={t`Content`}>
            <pre className="text-mono user-text">{raw}</pre>
          </Disclosure>
        </>
      }
      actions={
        <>
          {canRetry && (
            <Button icon={RotateCw} size="small" isBusy={retry.isPending} onClick={() => retry.mutate()}>
              {t`Retry`}
            </Button>
          )}
          <IconButton icon={Trash2} label={t`Dismiss`} onClick={onDismiss} />
        </>
      }
    />
  )
}
