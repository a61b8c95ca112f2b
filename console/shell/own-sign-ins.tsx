import { useMutation, useQuery } from '@tanstack/react-query'
import { MonitorSmartphone } from 'lucide-react'
import { request } from '../state/api.ts'
import { agoOf, fullMoment } from '../state/dates.ts'
import { keys } from '../state/query-keys.ts'
import type { OwnSession, OwnSessions } from '../state/types.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { LoadProblem } from '../ui/empty-state.tsx'
import { Item, ItemList } from '../ui/item-list.tsx'
import { SkeletonRows } from '../ui/spinner.tsx'
import { toast, toastError } from '../ui/toast.tsx'
import { rich, t } from '../words/t.ts'
import { deviceWords } from './device-words.ts'

const METHODS: Record<NonNullable<OwnSession['method']>, string> = {
  code: t`with a code`,
  link: t`with a link`,
  oidc: t`with your identity provider`,
}
const METHODS_WITH: Record<NonNullable<OwnSession['secondFactor']>, typeof METHODS> = {
  passkey: {
    code: t`with a code and a passkey`,
    link: t`with a link and a passkey`,
    oidc: t`with your identity provider and a passkey`,
  },
  recovery_code: {
    code: t`with a code and a recovery code`,
    link: t`with a link and a recovery code`,
    oidc: t`with your identity provider and a recovery code`,
  },
}

/** Where this person is signed in, in every browser. */
export const OwnSignIns = ({
  onSignOutEverywhere,
  onClose,
}: {
  onSignOutEverywhere: () => void
  onClose: () => void
}) => {
  const { data, error, refetch } = useQuery({
    queryKey: [...keys.session, 'all'],
    queryFn: ({ signal }) => request<OwnSessions>('GET', '/sessions', { signal }),
    // Colleagues don't change these, so no event tells of them.
    staleTime: 0,
  })
  const end = useMutation({
    mutationFn: (id: string) => request('DELETE', `/sessions/${id}`),
    onSuccess: () => toast(t`Signed out there`),
    onError: toastError,
    onSettled: () => refetch(),
  })
  const endOthers = useMutation({
    mutationFn: () => request<{ ended: number }>('POST', '/sessions/end-others'),
    onSuccess: ({ ended }) => toast(ended === 1 ? t`Ended 1 sign-in` : t`Ended ${ended} sign-ins`),
    onError: toastError,
    onSettled: () => refetch(),
  })
  const hasOthers = data?.sessions.some(({ isCurrent }) => !isCurrent)
  return (
    <Dialog
      title={t`Your sign-ins`}
      about={t`If you don’t recognize one, end it. Whoever used it is signed out immediately.`}
      isOpen
      isWide
      onClose={onClose}
      foot={
        hasOthers && (
          <>
            <Button onClick={onSignOutEverywhere}>{t`Sign out everywhere`}</Button>
            <Button variant="danger" isBusy={endOthers.isPending} onClick={() => endOthers.mutate()}>
              {t`End all others`}
            </Button>
          </>
        )
      }
    >
      {error ? (
        <LoadProblem error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <SkeletonRows rows={3} />
      ) : (
        <ItemList label={t`Your sign-ins`}>
          {data.sessions.map((session) => (
            <SignInItem
              key={session.id}
              session={session}
              isEnding={end.isPending && end.variables === session.id}
              onEnd={() => end.mutate(session.id)}
            />
          ))}
        </ItemList>
      )}
    </Dialog>
  )
}
const SignInItem = ({
  session: { isCurrent, method, secondFactor, address, userAgent, signedInAt, lastSeenAt },
  isEnding,
  onEnd,
}: {
  session: OwnSession
  isEnding: boolean
  onEnd: () => void
}) => {
  const device = deviceWords(userAgent)
  return (
    <Item
      lead={<MonitorSmartphone size={20} aria-hidden />}
      title={
        <>
          {device}
          {isCurrent && <Badge tone="accent">{t`This one`}</Badge>}
        </>
      }
      about={
        <>
          <span title={fullMoment(signedInAt)}>{rich`Signed in ${agoOf(signedInAt)}`}</span>
          {method && ` ${(secondFactor ? METHODS_WITH[secondFactor] : METHODS)[method]}`}
          {address && t` from ${address}`}
          {!isCurrent && (
            <span title={fullMoment(lastSeenAt)}> {rich`· last seen ${agoOf(lastSeenAt)}`}</span>
          )}
        </>
      }
      actions={
        !isCurrent && (
          <Button isBusy={isEnding} onClick={onEnd}>
            {t`End`}
            <span className="hidden-visually"> {device}</span>
          </Button>
        )
      }
    />
  )
}
