// Where an email reply goes. A sender can set any Reply-To address, so it is shown, and has to be confirmed if its
// domain differs from the sender's.
import { MailWarning } from 'lucide-react'
import type { ConversationDetails } from '../../state/types.ts'
import { Button } from '../../ui/button.tsx'
import { rich, t } from '../../words/t.ts'

type RepliesTo = NonNullable<ConversationDetails['repliesTo']>

const ReplyAddress = ({
  repliesTo,
  isAsked,
  onChoose,
  onCancel,
}: {
  repliesTo: RepliesTo
  isAsked: boolean
  onChoose: (address: string) => void
  onCancel: () => void
}) =>
  isAsked ? (
    <ChooseReplyAddress choices={repliesTo.choices} onChoose={onChoose} onCancel={onCancel} />
  ) : (
    <RepliesGoTo repliesTo={repliesTo} />
  )
export default ReplyAddress

const RepliesGoTo = ({ repliesTo: { address, choices, isOpen } }: { repliesTo: RepliesTo }) => (
  <p className="composer__to text-soft text-small">
    {isOpen
      ? rich`This email asks for replies at ${<bdi>{choices[1]}</bdi>}`
      : rich`Replies go to ${<bdi>{address}</bdi>}`}
  </p>
)

const ChooseReplyAddress = ({
  choices,
  onChoose,
  onCancel,
}: {
  choices: readonly string[]
  onChoose: (address: string) => void
  onCancel: () => void
}) => (
  <div className="composer__closed" role="alertdialog" aria-label={t`Choose where this reply goes`}>
    <div className="grow">
      <p className="text-strong">
        <MailWarning size={14} aria-hidden /> {t`Where should this reply go?`}
      </p>
      <p className="text-soft text-small">
        {rich`The sender wrote from ${<bdi>{choices[0]}</bdi>} but asks for replies at ${<bdi>{choices[1]}</bdi>}, which is at another domain. Only send it there if you trust that address.`}
      </p>
    </div>
    {choices.map((address) => (
      <Button key={address} size="small" onClick={() => onChoose(address)}>
        <span>{rich`Send to ${<bdi>{address}</bdi>}`}</span>
      </Button>
    ))}
    <Button size="small" variant="ghost" onClick={onCancel}>
      {t`Cancel`}
    </Button>
  </div>
)
