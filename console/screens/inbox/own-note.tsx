import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { Pencil, Trash2 } from 'lucide-react'
import { Suspense, useState } from 'react'
import { keys } from '../../state/query-keys.ts'
import { useApi } from '../../state/session.tsx'
import { IconButton } from '../../ui/button.tsx'
import { TextArea } from '../../ui/field.tsx'
import { ConfirmDialog, FormDialog } from '../../ui/lazy-dialogs.ts'
import { t } from '../../words/t.ts'
import { mentionedIn } from './mentions.ts'

const BODY_MAX = 4_000

/** What the author of a note can do with it. */
const OwnNote = ({ id, body }: { id: string; body: string }) => {
  const api = useApi()
  const client = useQueryClient()
  const { conversationId = '' } = useParams({ strict: false })
  const [open, setOpen] = useState<'edit' | 'delete' | null>(null)
  const [text, setText] = useState(body)
  const close = (): void => setOpen(null)
  const refresh = () => client.invalidateQueries({ queryKey: keys.timeline(api.workspaceId, conversationId) })
  const save = useMutation({
    mutationFn: async () => {
      const mentionedIds = text.includes('@') ? await mentionedIn(client, api, conversationId, text) : []
      await api.patch(`/notes/${id}`, { body: text.trim(), mentionedIds })
    },
    onSuccess: async () => {
      close()
      await refresh()
    },
  })
  const edit = (): void => {
    setText(body)
    setOpen('edit')
  }
  return (
    <>
      <span className="note__actions">
        <IconButton icon={Pencil} label={t`Edit note`} onClick={edit} />
        <IconButton icon={Trash2} label={t`Delete note`} onClick={() => setOpen('delete')} />
      </span>
      <Suspense>
        {open === 'edit' && (
          <FormDialog title={t`Edit note`} save={save} onSubmit={() => save.mutate()} onClose={close}>
            <TextArea
              label={t`Note`}
              name="body"
              value={text}
              maxLength={BODY_MAX}
              autoFocus
              onChange={({ target }) => setText(target.value)}
            />
          </FormDialog>
        )}
        {open === 'delete' && (
          <ConfirmDialog
            title={t`Delete this note?`}
            about={t`It’s removed for everyone. This can’t be undone.`}
            confirmLabel={t`Delete note`}
            isDanger
            isOpen
            onClose={close}
            onConfirm={async () => {
              await api.delete(`/notes/${id}`)
              await refresh()
            }}
          />
        )}
      </Suspense>
    </>
  )
}
export default OwnNote
