// Above an email: from whom to whom, all of it on request, whom it has not reached, and what to do with it.
import { useQueryClient } from '@tanstack/react-query'
import { ChevronRight, CircleAlert, Forward, Reply, ReplyAll, RotateCcw } from 'lucide-react'
import { useState } from 'react'
import { refreshConversation } from '../../../state/conversations.ts'
import { fullMoment } from '../../../state/dates.ts'
import { keys } from '../../../state/query-keys.ts'
import { useApi } from '../../../state/session.tsx'
import type { ConversationDetails, Mail as MailDraft, Message } from '../../../state/types.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { toastError } from '../../../ui/toast.tsx'
import { rich, t } from '../../../words/t.ts'
import type { Mail } from '../metadata.ts'
import { giveBack } from '../returned.ts'
import { forwardMail, othersOf, replyMail } from './mail-draft.ts'

type Props = { message: Message; mail: Mail }

export const MailHead = ({ message, mail }: Props) => (
  <div className="mail__head">
    {mail.subject && <bdi className="mail__subject">{mail.subject}</bdi>}
    <div className="mail__line">
      <Addresses message={message} mail={mail} />
      <MailActions message={message} />
    </div>
    {mail.undelivered.length > 0 && <Undelivered message={message} mail={mail} />}
  </div>
)

const Addresses = ({ message, mail }: Props) => {
  const { from, to, cc, bcc, date } = mail
  const isTheirs = message.senderType === 'customer'
  const [first, ...more] = [...to, ...cc, ...bcc]
  const rows: [string, string[]][] = [
    [t`:sender:From`, from ? [from] : []],
    [t`:recipient:To`, to],
    [t`Cc`, cc],
    [t`Bcc`, bcc],
    [t`Date`, [fullMoment(date ?? message.createdAt)]],
  ]
  return (
    <details className="mail__addresses">
      <summary className="mail__summary">
        <ChevronRight size={12} aria-hidden className="system__mark" />
        <span className="truncate">
          {isTheirs && <bdi>{from}</bdi>}
          {first && (
            <>
              {isTheirs ? t` to ` : t`To `}
              <bdi>{first}</bdi>
            </>
          )}
          {more.length > 0 && t` and ${more.length} more`}
        </span>
      </summary>
      <dl className="mail__all">
        {rows.map(
          ([label, values]) =>
            values.length > 0 && (
              <div key={label} className="mail__row">
                <dt>{label}</dt>
                <dd>
                  {values.map((value) => (
                    <bdi key={value} className="mail__address">
                      {value}
                    </bdi>
                  ))}
                </dd>
              </div>
            ),
        )}
      </dl>
    </details>
  )
}

/** They continue in the composer. */
const MailActions = ({ message }: { message: Message }) => {
  const api = useApi()
  const client = useQueryClient()
  const details = client.getQueryData<ConversationDetails>(
    keys.details(api.workspaceId, message.conversationId),
  )
  if (!details?.canReply) return null
  const start = (mail: MailDraft): void =>
    giveBack(message.conversationId, { kind: 'reply', body: '', attachments: [], mail })
  return (
    <span className="mail__actions">
      <IconButton
        icon={Reply}
        size="small"
        label={t`Reply to this email`}
        onClick={() => start(replyMail(details, message))}
      />
      {othersOf(details, message).length > 0 && (
        <IconButton
          icon={ReplyAll}
          size="small"
          label={t`Reply to all`}
          onClick={() => start(replyMail(details, message, { all: true }))}
        />
      )}
      <IconButton
        icon={Forward}
        size="small"
        label={t`Forward`}
        onClick={() => start(forwardMail(details, message))}
      />
    </span>
  )
}

const Undelivered = ({ message, mail }: Props) => {
  const api = useApi()
  const client = useQueryClient()
  const [isBusy, setBusy] = useState(false)
  const retry = (): void => {
    setBusy(true)
    void api
      .post(`/messages/${message.id}/retry`)
      .catch(toastError)
      .finally(() => {
        setBusy(false)
        refreshConversation(client, api.workspaceId, message.conversationId)
      })
  }
  return (
    <div className="mail__blocked mail__blocked--danger" role="status">
      <CircleAlert size={14} aria-hidden />
      <span className="grow">
        {mail.undelivered.map(({ address, message: reason }) => (
          <span key={address} className="mail__address">
            {rich`Not delivered to ${<bdi>{address}</bdi>}`}
            {reason && `: ${reason}`}
          </span>
        ))}
      </span>
      {/* A failed message has a button of its own. */}
      {message.status === 'sent' && (
        <Button size="small" icon={RotateCcw} isBusy={isBusy} onClick={retry}>
          {t`Try again`}
        </Button>
      )}
    </div>
  )
}
