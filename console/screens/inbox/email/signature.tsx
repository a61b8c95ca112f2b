// The signature that goes below what is written: shown, and removable.
import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { keys } from '../../../state/query-keys.ts'
import { useApi } from '../../../state/session.tsx'
import { IconButton } from '../../../ui/button.tsx'
import { t } from '../../../words/t.ts'
import { type Content, linesOf } from './document.ts'

/** Empty: there is none, or not yet. */
export const useSignature = (conversationId: string): string => {
  const api = useApi()
  const { data } = useQuery({
    queryKey: keys.signature(api.workspaceId, conversationId),
    queryFn: ({ signal }) =>
      api.get<{ text: string }>(`/conversations/${conversationId}/signature`, {}, signal),
    staleTime: 300_000,
  })
  return data?.text.trim() ?? ''
}

export const Signature = ({ text, onRemove }: { text: string; onRemove: () => void }) => (
  <section className="mail-signature" aria-label={t`Signature`}>
    <p className="user-text grow">{text}</p>
    <IconButton icon={X} size="small" label={t`Remove signature`} onClick={onRemove} />
  </section>
)

/** Mail programs recognise the line of two dashes. */
export const signed = ({ text, html }: Content, signature: string): Content => {
  if (signature === '') return { text, html }
  const below = `-- \n${signature}`
  return {
    text: text === '' ? below : `${text}\n\n${below}`,
    html: html && `${html}<div><br></div>${linesOf(below)}`,
  }
}
