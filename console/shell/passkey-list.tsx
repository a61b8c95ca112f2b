import { KeyRound, LifeBuoy, Pencil, Trash2 } from 'lucide-react'
import { agoOf, fullMoment } from '../state/dates.ts'
import { passkeyProblem } from '../state/passkeys.ts'
import type { OwnPasskeys, Passkey } from '../state/types.ts'
import { Banner } from '../ui/banner.tsx'
import { Button, IconButton } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Item, ItemList } from '../ui/item-list.tsx'

/** Fewer than this are worth a warning. */
const CODES_FEW = 3

const codesWords = (left: number): string =>
  left === 0 ? 'None left' : left === 1 ? '1 left' : `${left} left`

export const AddButton = ({ own, onAdd }: { own: OwnPasskeys; onAdd: () => void }) => (
  <Button variant="primary" disabled={passkeyProblem(own) !== null} onClick={onAdd}>
    Add passkey
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
        <EmptyState icon={KeyRound} title="No passkeys yet" action={<AddButton own={own} onAdd={onAdd} />}>
          A passkey is kept by your phone, computer, password manager or security key.
        </EmptyState>
      ) : (
        <>
          <ItemList label="Your passkeys">
            {passkeys.map((passkey) => (
              <PasskeyItem key={passkey.id} passkey={passkey} {...actions} />
            ))}
          </ItemList>
          <ItemList label="If you don’t have your passkey">
            <Codes left={recoveryCodesLeft} onNewCodes={onNewCodes} />
          </ItemList>
        </>
      )}
      {providerName && (
        <p className="text-soft text-small">
          After signing in with {providerName}, you won’t be asked for a passkey: its own second factor
          counts.
        </p>
      )}
    </div>
  )
}

const Codes = ({ left, onNewCodes }: { left: number; onNewCodes: () => void }) => (
  <Item
    lead={<LifeBuoy size={20} aria-hidden />}
    title="Recovery codes"
    about={<span className={left < CODES_FEW ? 'text-danger' : undefined}>{codesWords(left)}</span>}
    actions={
      <Button onClick={onNewCodes}>
        Create new<span className="hidden-visually"> recovery codes</span>
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
          <span title={fullMoment(createdAt)}>Added {agoOf(createdAt)}</span>
          {lastUsedAt && <span title={fullMoment(lastUsedAt)}> · last used {agoOf(lastUsedAt)}</span>}
        </>
      }
      actions={
        <>
          <IconButton icon={Pencil} label={`Rename ${name}`} onClick={() => onRename(passkey)} />
          <IconButton icon={Trash2} label={`Remove ${name}`} onClick={() => onRemove(passkey)} />
        </>
      }
    />
  )
}
