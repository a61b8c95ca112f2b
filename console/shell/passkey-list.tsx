import { KeyRound, LifeBuoy, Pencil, Trash2 } from 'lucide-react'
import { agoOf, fullMoment } from '../state/dates.ts'
import { passkeyProblem } from '../state/passkeys.ts'
import type { OwnPasskeys, Passkey } from '../state/types.ts'
import { Banner } from '../ui/banner.tsx'
import { Button, IconButton } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Item, ItemList } from '../ui/item-list.tsx'
import { rich, t } from '../words/t.ts'

/** Fewer than this are worth a warning. */
const CODES_FEW = 3

const codesWords = (left: number): string =>
  left === 0 ? t`None left` : left === 1 ? t`1 left` : t`${left} left`

export const AddButton = ({ own, onAdd }: { own: OwnPasskeys; onAdd: () => void }) => (
  <Button variant="primary" disabled={passkeyProblem(own) !== null} onClick={onAdd}>
    {t`Add passkey`}
  </Button>
)

export const PasskeyList = ({
  own,
  onAdd,
  onNewCodes,
  ...actions
}: {
  own: OwnPasskeys
  onAdd: () => void
  onRename: (passkey: Passkey) => void
  onRemove: (passkey: Passkey) => void
  onNewCodes: () => void
}) => {
  const { passkeys, recoveryCodesLeft, providerName } = own
  const problem = passkeyProblem(own)
  return (
    <div className="stack stack--fields">
      {problem && <Banner tone="warn">{problem}</Banner>}
      {passkeys.length === 0 ? (
        <EmptyState icon={KeyRound} title={t`No passkeys yet`} action={<AddButton own={own} onAdd={onAdd} />}>
          {t`A passkey is kept by your phone, computer, password manager or security key.`}
        </EmptyState>
      ) : (
        <>
          <ItemList label={t`Your passkeys`}>
            {passkeys.map((passkey) => (
              <PasskeyItem key={passkey.id} passkey={passkey} {...actions} />
            ))}
          </ItemList>
          <ItemList label={t`If you don’t have your passkey`}>
            <Codes left={recoveryCodesLeft} onNewCodes={onNewCodes} />
          </ItemList>
        </>
      )}
      {providerName && (
        <p className="text-soft text-small">
          {rich`After signing in with ${providerName}, you won’t be asked for a passkey: its own second factor counts.`}
        </p>
      )}
    </div>
  )
}

const Codes = ({ left, onNewCodes }: { left: number; onNewCodes: () => void }) => (
  <Item
    lead={<LifeBuoy size={20} aria-hidden />}
    title={t`Recovery codes`}
    about={<span className={left < CODES_FEW ? 'text-danger' : undefined}>{codesWords(left)}</span>}
    actions={
      <Button onClick={onNewCodes}>
        {t`Create new`}
        <span className="hidden-visually"> {t`recovery codes`}</span>
      </Button>
    }
  />
)

const PasskeyItem = ({
  passkey,
  onRename,
  onRemove,
}: {
  passkey: Passkey
  onRename: (passkey: Passkey) => void
  onRemove: (passkey: Passkey) => void
}) => {
  const { name, createdAt, lastUsedAt } = passkey
  return (
    <Item
      lead={<KeyRound size={20} aria-hidden />}
      title={<bdi>{name}</bdi>}
      about={
        <>
          <span title={fullMoment(createdAt)}>{rich`Added ${agoOf(createdAt)}`}</span>
          {lastUsedAt && (
            <span title={fullMoment(lastUsedAt)}> {rich`· last used ${agoOf(lastUsedAt)}`}</span>
          )}
        </>
      }
      actions={
        <>
          <IconButton icon={Pencil} label={t`Rename ${name}`} onClick={() => onRename(passkey)} />
          <IconButton icon={Trash2} label={t`Remove ${name}`} onClick={() => onRemove(passkey)} />
        </>
      }
    />
  )
}
