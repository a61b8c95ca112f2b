import { KeyRound, Plus } from 'lucide-react'
import { Suspense, useState } from 'react'
import { agoOf, dateOf, fullMoment } from '../../state/dates.ts'
import { useApi } from '../../state/session.tsx'
import type { ApiToken } from '../../state/types.ts'
import { Badge, channelName } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { EmptyState, LoadProblem } from '../../ui/empty-state.tsx'
import { Item, ItemList } from '../../ui/item-list.tsx'
import { ConfirmDialog } from '../../ui/lazy-dialogs.ts'
import { SidePage } from '../../ui/side-pages.tsx'
import { SkeletonRows } from '../../ui/spinner.tsx'
import { toast } from '../../ui/toast.tsx'
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
      New token
    </Button>
  )
  return (
    <SidePage
      title="API tokens"
      about={
        <>
          Each token gives a program access to this workspace through the <a href="/docs">API</a>.
        </>
      }
      actions={make}
    >
      {error ? (
        <LoadProblem error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <SkeletonRows rows={3} />
      ) : data.tokens.length === 0 ? (
        <EmptyState icon={KeyRound} title="No tokens yet">
          Create one per program, so you can revoke them separately.
        </EmptyState>
      ) : (
        <ItemList label="API tokens">
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
            title={`Revoke “${revoked.name}”?`}
            about="Apps using it will stop working immediately. This can’t be undone."
            confirmLabel="Revoke"
            isDanger
            isOpen
            onClose={() => setRevoked(null)}
            onConfirm={async () => {
              await api.post(`/tokens/${revoked.id}/revoke`)
              await changed()
              toast('Token revoked')
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
            <Badge tone="danger">Revoked</Badge>
          ) : (
            hasExpired && <Badge tone="danger">Expired</Badge>
          )}
        </>
      }
      about={
        <>
          <code className="text-mono">{prefix}…</code>
          {!revokedAt &&
            previousSecretUntil &&
            ` · old secret works until ${fullMoment(previousSecretUntil)}`}
          <br />
          {accessWords(token)}
          <br />
          <span title={fullMoment(createdAt)}>Created {dateOf(createdAt)}</span> by{' '}
          <bdi>{createdBy?.nickname ?? 'the operator'}</bdi>
          {' · '}
          {lastUsedAt ? (
            <span title={fullMoment(lastUsedAt)}>last used {agoOf(lastUsedAt)}</span>
          ) : (
            'never used'
          )}
          {revokedAt ? (
            <>
              {' · '}
              <span title={fullMoment(revokedAt)}>revoked {dateOf(revokedAt)}</span>
            </>
          ) : (
            expiresAt && (
              <>
                {' · '}
                <span title={fullMoment(expiresAt)}>
                  {hasExpired ? 'expired' : 'expires'} {dateOf(expiresAt)}
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
              <Button size="small" onClick={onRotate} aria-label={`Rotate ${name}`}>
                Rotate
              </Button>
            )}
            <Button size="small" onClick={onRevoke} aria-label={`Revoke ${name}`}>
              Revoke
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
    channels && `only ${channels.map(channelName).join(', ')}`,
    allowedAddresses && `from ${allowedAddresses.join(', ')}`,
  ]
    .filter(Boolean)
    .join(' · ')
