// Recipients and subject: one line that says whom an email goes to, and opens to be changed.
import { ChevronDown, ReplyAll } from 'lucide-react'
import { useState } from 'react'
import type { Mail, MailRecipient } from '../../../state/types.ts'
import { Button } from '../../../ui/button.tsx'
import { rich, t } from '../../../words/t.ts'
import { RecipientsField } from './recipients-field.tsx'

const SUBJECT_MAX = 500
const nameOf = ({ name, address }: MailRecipient): string => name || address

type Props = {
  mail: Mail
  onChange: (mail: Mail) => void
  /** Others who got what is replied to, unless they are in copy already. */
  others: readonly MailRecipient[]
  /** Where it is the point: a forwarded or new email. */
  isOpen?: boolean
}

export const Envelope = ({ mail, onChange, others, isOpen = false }: Props) => {
  const [wasOpened, setOpened] = useState(isOpen)
  if (!isOpen && !wasOpened)
    return (
      <div className="envelope envelope--folded">
        <button
          type="button"
          className="envelope__line"
          aria-expanded={false}
          onClick={() => setOpened(true)}
        >
          <span className="truncate">
            {rich`To ${<bdi title={mail.to.map(({ address }) => address).join(', ')}>{mail.to.map(nameOf).join(', ') || '…'}</bdi>}${copiesOf(mail)}`}
          </span>
          <span className="hidden-visually">{t`. Change recipients and subject`}</span>
          <ChevronDown size={14} aria-hidden />
        </button>
        <ReplyToAll mail={mail} onChange={onChange} others={others} />
      </div>
    )
  return <OpenEnvelope mail={mail} onChange={onChange} others={others} />
}

const ReplyToAll = ({ mail, onChange, others }: Omit<Props, 'isOpen'>) =>
  others.length > 0 && (
    <Button
      size="small"
      variant="ghost"
      icon={ReplyAll}
      title={others.map(({ address }) => address).join(', ')}
      onClick={() => onChange({ ...mail, cc: [...(mail.cc ?? []), ...others] })}
    >
      {t`Reply all`}
    </Button>
  )

const copiesOf = ({ cc = [], bcc = [] }: Mail) => (
  <>
    {cc.length > 0 && (
      <>
        {t` · Cc `}
        <bdi>{cc.map(nameOf).join(', ')}</bdi>
      </>
    )}
    {bcc.length > 0 && (
      <>
        {t` · Bcc `}
        <bdi>{bcc.map(nameOf).join(', ')}</bdi>
      </>
    )}
  </>
)

const OpenEnvelope = ({ mail, onChange, others }: Omit<Props, 'isOpen'>) => {
  const [asked, setAsked] = useState<'cc' | 'bcc' | null>(null)
  const { to, cc = [], bcc = [], subject = '' } = mail
  const [isCcShown, setCcShown] = useState(cc.length > 0)
  const [isBccShown, setBccShown] = useState(bcc.length > 0)
  const showCc = (): void => {
    setAsked('cc')
    setCcShown(true)
  }
  const showBcc = (): void => {
    setAsked('bcc')
    setBccShown(true)
  }
  return (
    <div className="envelope">
      <div className="envelope__row">
        <RecipientsField
          label={t`:recipient:To`}
          recipients={to}
          takesFocus={to.length === 0}
          onChange={(next) => onChange({ ...mail, to: next })}
        />
        {!isCcShown && (
          <Button size="small" variant="ghost" aria-label={t`Add Cc`} onClick={showCc}>
            {t`Cc`}
          </Button>
        )}
        {!isBccShown && (
          <Button size="small" variant="ghost" aria-label={t`Add Bcc`} onClick={showBcc}>
            {t`Bcc`}
          </Button>
        )}
        <ReplyToAll mail={mail} onChange={onChange} others={others} />
      </div>
      {(isCcShown || cc.length > 0) && (
        <RecipientsField
          label={t`Cc`}
          recipients={cc}
          takesFocus={asked === 'cc'}
          onChange={(next) => onChange({ ...mail, cc: next })}
        />
      )}
      {(isBccShown || bcc.length > 0) && (
        <RecipientsField
          label={t`Bcc`}
          recipients={bcc}
          takesFocus={asked === 'bcc'}
          onChange={(next) => onChange({ ...mail, bcc: next })}
        />
      )}
      <label className="recipients">
        <span className="recipients__label">{t`Subject`}</span>
        <input
          className="recipients__input"
          dir="auto"
          maxLength={SUBJECT_MAX}
          value={subject}
          onChange={(event) => onChange({ ...mail, subject: event.target.value })}
        />
      </label>
    </div>
  )
}
