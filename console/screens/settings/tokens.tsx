import { useMutation } from '@tanstack/react-query'
import { KeyRound, Plus } from 'lucide-react'
import { Suspense, useState } from 'react'
import { agoOf, dateOf, fullMoment } from '../../state/dates.ts'
import { useApi } from '../../state/session.tsx'
import type { ApiToken } from '../../state/types.ts'
import { Badge } from '../../ui/badge.tsx'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyField } from '../../ui/copy-field.tsx'
import { EmptyState, LoadProblem } from '../../ui/empty-state.tsx'
import { TextField } from '../../ui/field.tsx'
import { Item, ItemList } from '../../ui/item-list.tsx'
import { ConfirmDialog, Dialog, FormDialog } from '../../ui/lazy-dialogs.ts'
import { SidePage } from '../../ui/side-pages.tsx'
import { SkeletonRows } from '../../ui/spinner.tsx'
import { toast } from '../../ui/toast.tsx'
import { useSetting, useSettingsChanged } from './use-setting.ts'

export const TokensSettings = () => {
  const api = useApi()
  const { data, error, refetch } = useSetting<{ tokens: ApiToken[] }>('tokens', '/tokens')
  const changed = useSettingsChanged()
  const [isMaking, setMaking] = useState(false)
  const [revoked, setRevoked] = useState<ApiToken | null>(null)
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
          Each token gives a program full <a href="/docs">API</a> access to this workspace.
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
            <TokenItem key={token.id} token={token} onRevoke={() => setRevoked(token)} />
          ))}
        </ItemList>
      )}
      <Suspense>
        {isMaking && <NewToken onClose={() => setMaking(false)} />}
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

const TokenItem = ({ token, onRevoke }: { token: ApiToken; onRevoke: () => void }) => {
  const { name, prefix, createdAt, createdBy, lastUsedAt, revokedAt } = token
  return (
    <Item
      isQuiet={revokedAt !== null}
      title={
        <>
          <bdi>{name}</bdi>
          {revokedAt && <Badge tone="danger">Revoked</Badge>}
        </>
      }
      about={
        <>
          <code className="text-mono">{prefix}…</code>
          <br />
          <span title={fullMoment(createdAt)}>Created {dateOf(createdAt)}</span> by{' '}
          <bdi>{createdBy?.nickname ?? 'the operator'}</bdi>
          {' · '}
          {lastUsedAt ? (
            <span title={fullMoment(lastUsedAt)}>last used {agoOf(lastUsedAt)}</span>
          ) : (
            'never used'
          )}
          {revokedAt && (
            <>
              {' · '}
              <span title={fullMoment(revokedAt)}>revoked {dateOf(revokedAt)}</span>
            </>
          )}
        </>
      }
      actions={
        !revokedAt && (
          <Button size="small" onClick={onRevoke} aria-label={`Revoke ${name}`}>
            Revoke
          </Button>
        )
      }
    />
  )
}

const NewToken = ({ onClose }: { onClose: () => void }) => {
  const api = useApi()
  const changed = useSettingsChanged()
  const make = useMutation({
    mutationFn: (name: string) => api.post<{ token: ApiToken; secret: string }>('/tokens', { name }),
    onSuccess: () => changed(),
  })
  const secret = make.data?.secret
  if (secret)
    return (
      <Dialog
        title="Your new token"
        isOpen
        isHeld
        onClose={onClose}
        foot={
          <Button variant="primary" onClick={onClose}>
            I’ve copied it
          </Button>
        }
      >
        <div className="stack stack--fields">
          <Banner tone="warn">Copy it now. You won’t be able to see it again.</Banner>
          <CopyField label="Token" value={secret} isFocused />
          <CopyField
            label="Try it"
            value={`curl -s -H 'Authorization: Bearer ${secret}' ${location.origin}/api/v1/conversations`}
          />
        </div>
      </Dialog>
    )
  return (
    <FormDialog
      title="New API token"
      submitLabel="Create token"
      save={make}
      onSubmit={({ name = '' }) => make.mutate(name.trim())}
      onClose={onClose}
    >
      <TextField label="Name" name="name" hint="e.g. CRM sync" maxLength={100} autoFocus autoComplete="off" />
    </FormDialog>
  )
}
