import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { keys } from '../../state/query-keys.ts'
import { useApi } from '../../state/session.tsx'
import { Button } from '../../ui/button.tsx'
import { LoadProblem } from '../../ui/empty-state.tsx'
import { Form } from '../../ui/form.tsx'
import { Section } from '../../ui/page.tsx'
import { SignatureField } from '../../ui/signature-field.tsx'
import { Skeleton } from '../../ui/spinner.tsx'
import { toast } from '../../ui/toast.tsx'
import { t } from '../../words/t.ts'

/** Of a mailbox: below the emails of those who have none of their own. */
const MailboxSignature = ({ channelId }: { channelId: string }) => {
  const api = useApi()
  const client = useQueryClient()
  const { data, error, refetch } = useQuery({
    queryKey: keys.signature(api.workspaceId, channelId),
    queryFn: ({ signal }) => api.get<{ body: string | null }>(`/channels/${channelId}/signature`, {}, signal),
  })
  const save = useMutation({
    mutationFn: (body: string) => api.put(`/channels/${channelId}/signature`, { body }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['w', api.workspaceId, 'signature'] })
      toast(t`Signature saved`)
    },
  })
  return (
    <Section
      title={t`Signature`}
      about={t`Below emails from this mailbox, unless the sender has a signature of their own.`}
    >
      {error ? (
        <LoadProblem error={error} onRetry={() => void refetch()} />
      ) : data ? (
        <Form error={save.error} onSubmit={({ body = '' }) => save.mutate(body)}>
          <SignatureField body={data.body ?? ''} hint={t`Leave empty for none.`} />
          <div className="row">
            <Button type="submit" variant="primary" isBusy={save.isPending}>
              {t`Save signature`}
            </Button>
          </div>
        </Form>
      ) : (
        <Skeleton lines={4} />
      )}
    </Section>
  )
}
export default MailboxSignature
