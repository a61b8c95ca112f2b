import { KeyRound, Plus } from 'lucide-react'
import { Suspense, useState } from 'react'
import { agoOf, dateOf, fullMoment } from '../../state/dates.ts'
import { useApi } from '../../state/session.tsx'
import type { ApiToken } from '../../state/types.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { channelName } from '../../ui/channel-name.ts'
import { EmptyState, LoadProblem } from '../../ui/empty-state.tsx'
import { Item, ItemList } from '../../ui/item-list.tsx'
import { ConfirmDialog } from '../../ui/lazy-dialogs.ts'
import { SidePage } from '../../ui/side-pages.tsx'
import { SkeletonRows } from '../../ui/spinner.tsx'
import { toast } from '../../ui/toast.tsx'
import { rich, t } from '../../words/t.ts'
import { NewToken, RotateToken } from './new-token.tsx'
import { scopesLabel } from './token-words.ts'
import { useSetting, useSettingsChanged } from './use-setting.ts'

export const TokensSettings = () => {
  const api = useApi()
  const { data, error, refetch } = useSetting<{ tokens: ApiToken[] }>('tokens', '/tokens')
  const changed = useSettingsChanged()
  const [isMaking, setMaking] = useState(false)
  const [revoked, setRevoked] = useState<ApiToken | null>(null)
  const [rotated, setRotated] = useState<ApiToken | null>(null)
  const make = (
    <Button variant="primary" icon={Plus} onClick={() => setMaking(true)}>
      {t`New token`}
    </Button>
  )
  return (
    <SidePage
      title={t`API tokens`}
      about={rich`Each token gives a program access to this workspace through the ${<a href="/docs">{t`API`}</a>}.`}
      actions={make}
    >
      {error ? (
        <LoadProblem error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <SkeletonRows rows={3} />
      ) : data.tokens.length === 0 ? (
        <EmptyState icon={KeyRound} title={t`No tokens yet`}>
          {t`Create one per program, so you can revoke them separately.`}
        </EmptyState>
      ) : (
        <ItemList label={t`API tokens`}>
          {data.tokens.map((token) => (
            <TokenItem
              key={token.id}
              token={token}
              onRotate={() => setRotated(token)}
              onRevoke={() => setRevoked(token)}
            />
          ))}
        </ItemList>
      )}
      <Suspense>
        {isMaking && <NewToken onClose={() => setMaking(false)} />}
        {rotated && <RotateToken token={rotated} onClose={() => setRotated(null)} />}
        {revoked && (
          <ConfirmDialog
            title={t`Revoke “${revoked.name}”?`}
            about={t`Apps using it will stop working immediately. This can’t be undone.`}
            confirmLabel={t`Revoke`}
            isDanger
            isOpen
            onClose={() => setRevoked(null)}
            onConfirm={async () => {
              await api.post(`/tokens/${revoked.id}/revoke`)
              await changed()
              toast(t`Token revoked`)
            }}
          />
        )}
      </Suspense>
    </SidePage>
  )
}

const TokenItem = ({
  token,
  onRotate,
  onRevoke,
}: {
  token: ApiToken
  onRotate: () => void
  onRevoke: () => void
}) => {
  const { name, prefix, createdAt, createdBy, lastUsedAt, revokedAt, expiresAt, previousSecretUntil } = token
  const hasExpired = expiresAt !== null && Date.parse(expiresAt) <= Date.now()
  return (
    <Item
      isQuiet={revokedAt !== null || hasExpired}
      title={
        <>
          <bdi>{name}</bdi>
          {revokedAt ? (
            <Badge tone="danger">{t`Revoked`}</Badge>
          ) : (
            hasExpired && <Badge tone="danger">{t`Expired`}</Badge>
          )}
        </>
      }
      about={
        <>
          <code className="text-mono">{prefix}…</code>
          {!revokedAt &&
            previousSecretUntil &&
            t` · old secret works until ${fullMoment(previousSecretUntil)}`}
          <br />
          {accessWords(token)}
          <br />
          <span title={fullMoment(createdAt)}>{rich`Created ${dateOf(createdAt)}`}</span>{' '}
          {rich`by ${<bdi>{createdBy?.nickname ?? t`the operator`}</bdi>} ·`}
          {lastUsedAt ? (
            <span title={fullMoment(lastUsedAt)}>{rich`last used ${agoOf(lastUsedAt)}`}</span>
          ) : (
            t`never used`
          )}
          {revokedAt ? (
            <>
              {' · '}
              <span title={fullMoment(revokedAt)}>{rich`revoked ${dateOf(revokedAt)}`}</span>
            </>
          ) : (
            expiresAt && (
              <>
                {' · '}
                <span title={fullMoment(expiresAt)}>
                  {hasExpired ? t`expired` : t`expires`} {dateOf(expiresAt)}
                </span>
              </>
            )
          )}
        </>
      }
      actions={
        !revokedAt && (
          <>
            {!hasExpired && (
              <Button size="small" onClick={onRotate} aria-label={t`Rotate ${name}`}>
                {t`Rotate`}
              </Button>
            )}
            <Button size="small" onClick={onRevoke} aria-label={t`Revoke ${name}`}>
              {t`Revoke`}
            </Button>
          </>
        )
      }
    />
  )
}

const accessWords = ({ scopes, channels, allowedAddresses }: ApiToken): string =>
  [
    scopesLabel(scopes),
    channels && t`only ${channels.map(channelName).join(', ')}`,
    allowedAddresses && t`from ${allowedAddresses.join(', ')}`,
  ]
    .filter(Boolean)
    .join(' · ')
