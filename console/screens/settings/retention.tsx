// How long a channel's conversations are kept. What would be touched is shown before it is saved.

import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { countOf } from '../../state/amounts.ts'
import { useApi } from '../../state/session.tsx'
import type { RetentionPreview, RetentionRule } from '../../state/types.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { LoadProblem } from '../../ui/empty-state.tsx'
import { TextField } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Section } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/spinner.tsx'
import { toast } from '../../ui/toast.tsx'
import { t } from '../../words/t.ts'
import { useSetting, useSettingsChanged } from './use-setting.ts'

const DAYS_MAX = 3_650

const daysOf = (text = ''): number | null => (text === '' ? null : Number(text))

const wordsOf = ({ conversations, messages }: RetentionPreview['close']): string => {
  const count = countOf(messages)
  if (conversations === 1)
    return messages === 1 ? t`1 conversation with 1 message` : t`1 conversation with ${count} messages`
  return messages === 1
    ? t`${countOf(conversations)} conversations with 1 message`
    : t`${countOf(conversations)} conversations with ${count} messages`
}

const Retention = ({ channelId }: { channelId: string }) => {
  const api = useApi()
  const changed = useSettingsChanged()
  const path = `/channels/${channelId}/retention`
  const { data, error, refetch } = useSetting<{ rule: RetentionRule }>(`retention-${channelId}`, path)
  const [reviewed, setReviewed] = useState<{ rule: RetentionRule; preview: RetentionPreview } | null>(null)
  const review = useMutation({
    mutationFn: async (rule: RetentionRule) => ({
      rule,
      preview: await api.post<RetentionPreview>(`${path}/preview`, rule),
    }),
    onSuccess: setReviewed,
  })
  return (
    <Section title={t`Old conversations`} about={t`Conversations without activity. Contacts are kept.`}>
      {error ? (
        <LoadProblem error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton lines={3} />
      ) : (
        <Form
          error={review.error}
          onSubmit={({ closeAfterDays, deleteAfterDays }) =>
            review.mutate({
              closeAfterDays: daysOf(closeAfterDays),
              deleteAfterDays: daysOf(deleteAfterDays),
            })
          }
        >
          <div className="grid-2">
            <Days
              label={t`Close open ones after (days)`}
              name="closeAfterDays"
              days={data.rule.closeAfterDays}
              hint={t`A new message reopens them.`}
            />
            <Days
              label={t`Delete closed ones after (days)`}
              name="deleteAfterDays"
              days={data.rule.deleteAfterDays}
              hint={t`With their messages, files and notes.`}
            />
          </div>
          <div className="row">
            <Button type="submit" isBusy={review.isPending}>
              {t`Review`}
            </Button>
          </div>
        </Form>
      )}
      {reviewed && (
        <Review
          {...reviewed}
          onClose={() => setReviewed(null)}
          onConfirm={async () => {
            await api.put(path, reviewed.rule)
            toast(t`Saved`)
            await changed()
          }}
        />
      )}
    </Section>
  )
}
export default Retention

const Days = ({
  label,
  name,
  days,
  hint,
}: {
  label: string
  name: keyof RetentionRule
  days: number | null
  hint: string
}) => (
  <TextField
    label={label}
    name={name}
    type="number"
    min={1}
    max={DAYS_MAX}
    step={1}
    defaultValue={days ?? ''}
    placeholder={t`Never`}
    hint={hint}
  />
)

const Review = ({
  rule: { closeAfterDays, deleteAfterDays },
  preview,
  onClose,
  onConfirm,
}: {
  rule: RetentionRule
  preview: RetentionPreview
  onClose: () => void
  onConfirm: () => Promise<void>
}) => {
  const deletes = deleteAfterDays !== null
  return (
    <ConfirmDialog
      title={deletes ? t`Delete old conversations?` : t`Save these rules?`}
      about={t`Applied once a day, from tomorrow on (UTC).${deletes ? t` What is deleted can’t be restored.` : ''}`}
      confirmLabel={t`Save`}
      isDanger={deletes}
      isOpen
      onClose={onClose}
      onConfirm={onConfirm}
    >
      <div className="stack stack--tight">
        <p>
          {closeAfterDays === null ? t`Nothing is closed.` : t`To close today: ${wordsOf(preview.close)}`}
        </p>
        <p>{deletes ? t`To delete today: ${wordsOf(preview.delete)}` : t`Nothing is deleted.`}</p>
      </div>
    </ConfirmDialog>
  )
}
