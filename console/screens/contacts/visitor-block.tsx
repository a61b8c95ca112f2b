// Blocks a visitor from the web chat, and unblocks them.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { keys } from '../../state/query-keys.ts'
import { useSession } from '../../state/session.tsx'
import type { Block } from '../../state/types.ts'
import { Button } from '../../ui/button.tsx'
import { toastError } from '../../ui/toast.tsx'
import { t } from '../../words/t.ts'
import { Part } from './contact-parts.tsx'

export const VisitorBlock = ({ contactId }: { contactId: string }) => {
  const { api } = useSession()
  const client = useQueryClient()
  const queryKey = keys.visitorBlock(api.workspaceId, contactId)
  const path = `/contacts/${contactId}/block`
  const { data } = useQuery({
    queryKey,
    queryFn: ({ signal }) => api.get<{ block: Block }>(path, {}, signal),
  })
  const change = useMutation({
    mutationFn: (next: Partial<Block>) => api.put<{ block: Block }>(path, next),
    onSuccess: (answer) => client.setQueryData(queryKey, answer),
    onError: toastError,
  })
  if (!data) return null
  const { visitor, address, hasAddress } = data.block
  return (
    <Part title={t`Web chat`}>
      <p className="text-soft">
        {visitor || address
          ? `${visitor ? t`This visitor is blocked.` : ''} ${address ? t`Everyone at their IP address is blocked.` : ''}`
          : t`Blocked visitors can’t open the chat or send messages.`}
      </p>
      <div className="row row--wrap">
        <Button size="small" isBusy={change.isPending} onClick={() => change.mutate({ visitor: !visitor })}>
          {visitor ? t`Unblock visitor` : t`Block visitor`}
        </Button>
        {hasAddress && (
          <Button size="small" isBusy={change.isPending} onClick={() => change.mutate({ address: !address })}>
            {address ? t`Unblock IP address` : t`Block IP address`}
          </Button>
        )}
      </div>
    </Part>
  )
}
