// What goes below a reply or is forwarded: folded, as its reader sees it, and removable.
import { useQuery } from '@tanstack/react-query'
import { Ellipsis, Paperclip, X } from 'lucide-react'
import { useState } from 'react'
import { keys } from '../../../state/query-keys.ts'
import { useApi } from '../../../state/session.tsx'
import type { Mail, Message } from '../../../state/types.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { t } from '../../../words/t.ts'
import { metaOf } from '../metadata.ts'

type Content = { text: string | null; html: string | null; images: Record<string, string> }

/** What a mail contains beyond its message. */
export const useMailContent = (message: Message | undefined): Content | undefined => {
  const api = useApi()
  const mail = message && metaOf(message).mail
  return useQuery({
    queryKey: keys.email(api.workspaceId, message?.id ?? ''),
    queryFn: ({ signal }) => api.get<Content>(`/messages/${message?.id}/email`, {}, signal),
    enabled: Boolean(mail && (mail.hasHtml || mail.hasMore)),
    staleTime: Number.POSITIVE_INFINITY,
  }).data
}

export const MailQuote = ({
  quote,
  message,
  onChange,
}: {
  quote: NonNullable<Mail['quote']>
  message: Message
  onChange: (quote: Mail['quote']) => void
}) => {
  const [isShown, setShown] = useState(false)
  const content = useMailContent(message)
  const isForward = quote.as === 'forward'
  const kept = new Set(quote.fileIds)
  const files = message.attachments.filter(({ id }) => kept.has(id) && !content?.images[id])
  return (
    <div className="mail-quote">
      <div className="row">
        <Button
          size="small"
          variant="ghost"
          icon={Ellipsis}
          aria-expanded={isShown}
          onClick={() => setShown(!isShown)}
        >
          {isForward ? t`Forwarded message` : t`Quoted text`}
        </Button>
        {!isForward && (
          <IconButton
            icon={X}
            size="small"
            label={t`Remove quoted text`}
            onClick={() => onChange(undefined)}
          />
        )}
      </div>
      {isShown && (
        <blockquote className="mail-quote__text user-text" dir="auto">
          {content?.text ?? message.body}
        </blockquote>
      )}
      {files.length > 0 && (
        <ul className="uploads" aria-label={t`Forwarded files`}>
          {files.map(({ id, name }) => (
            <li key={id} className="upload">
              <Paperclip size={12} aria-hidden />
              <bdi className="truncate">{name}</bdi>
              <IconButton
                icon={X}
                size="small"
                label={t`Remove ${name}`}
                hasTooltip={false}
                onClick={() => onChange({ ...quote, fileIds: quote.fileIds?.filter((one) => one !== id) })}
              />
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
