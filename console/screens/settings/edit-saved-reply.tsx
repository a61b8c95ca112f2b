import { useMutation, useQuery } from '@tanstack/react-query'
import { Braces } from 'lucide-react'
import { useRef, useState } from 'react'
import { agentsQuery } from '../../state/agents.ts'
import type { ApiError } from '../../state/api.ts'
import { newId } from '../../state/new-id.ts'
import { REPLY_VALUES } from '../../state/saved-replies.ts'
import { useApi } from '../../state/session.tsx'
import { tagsQuery } from '../../state/tags.ts'
import type { NewSavedReply, SavedReply } from '../../state/types.ts'
import { Button } from '../../ui/button.tsx'
import { ChannelChoice } from '../../ui/channel-choice.tsx'
import { CheckGroup, namedOptions } from '../../ui/check-group.tsx'
import { Disclosure } from '../../ui/disclosure.tsx'
import { Checkbox, Select, TextArea, TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/lazy-dialogs.ts'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { toast } from '../../ui/toast.tsx'
import { t } from '../../words/t.ts'

const EMPTY: NewSavedReply = {
  name: '',
  shortcut: null,
  folder: null,
  body: '',
  channels: [],
  tagIds: [],
  assigneeId: null,
  closes: false,
}

const givenOf = ({ name, shortcut, folder, body, channels, tagIds, assigneeId, closes }: NewSavedReply) => ({
  name: name.trim(),
  shortcut: shortcut?.trim().replace(/^\//, '').toLowerCase() || null,
  folder: folder?.trim() || null,
  body,
  channels,
  tagIds,
  assigneeId,
  closes,
})

type Props = {
  reply: SavedReply | null
  /** Those that there are, to choose from. */
  folders: string[]
  mayShare: boolean
  onChanged: () => Promise<void>
  onClose: () => void
}

const EditSavedReply = ({ reply, folders, mayShare, onChanged, onClose }: Props) => {
  const api = useApi()
  const [id] = useState(() => reply?.id ?? newId())
  const [draft, setDraft] = useState<NewSavedReply>(reply ?? EMPTY)
  const [isShared, setShared] = useState(reply?.isShared ?? mayShare)
  const set = (change: Partial<NewSavedReply>) => setDraft({ ...draft, ...change })
  const save = useMutation<unknown, ApiError, NewSavedReply>({
    mutationFn: (given) => api.put(`/saved-replies/${isShared ? 'shared' : 'own'}/${id}`, given),
    onSuccess: async () => {
      await onChanged()
      toast(reply ? t`Saved` : t`Saved reply created`)
      onClose()
    },
  })
  return (
    <FormDialog
      title={reply ? t`Edit saved reply` : t`New saved reply`}
      submitLabel={reply ? t`Save` : t`Create saved reply`}
      save={save}
      onSubmit={() => save.mutate(givenOf(draft))}
      onClose={onClose}
    >
      <TextField
        label={t`Name`}
        name="name"
        value={draft.name}
        maxLength={80}
        autoFocus
        onChange={({ target }) => set({ name: target.value })}
      />
      <ReplyText text={draft.body} onChange={(body) => set({ body })} />
      <TextField
        label={t`Shortcut (optional)`}
        name="shortcut"
        hint={t`Type / and this to find it.`}
        value={draft.shortcut ?? ''}
        maxLength={31}
        placeholder={t`e.g. refund`}
        onChange={({ target }) => set({ shortcut: target.value || null })}
      />
      <TextField
        label={t`Folder (optional)`}
        name="folder"
        value={draft.folder ?? ''}
        maxLength={60}
        placeholder={t`e.g. Shipping`}
        list={`${id}-folders`}
        onChange={({ target }) => set({ folder: target.value || null })}
      />
      <datalist id={`${id}-folders`}>
        {folders.map((folder) => (
          <option key={folder} value={folder} />
        ))}
      </datalist>
      <ChannelChoice
        name="channels"
        hint={t`None ticked: all.`}
        chosen={draft.channels}
        onChange={(channels) => set({ channels })}
      />
      <Afterwards draft={draft} onChange={set} />
      {!reply && mayShare && (
        <Checkbox
          label={t`For the whole team`}
          hint={t`Otherwise only for you.`}
          checked={isShared}
          onChange={({ target }) => setShared(target.checked)}
        />
      )}
    </FormDialog>
  )
}

export default EditSavedReply

/** What is sent, with values put in where the cursor is. */
const ReplyText = ({ text, onChange }: { text: string; onChange: (text: string) => void }) => {
  const field = useRef<HTMLTextAreaElement>(null)
  const insert = (path: string): void => {
    const { selectionStart, selectionEnd } = field.current ?? {
      selectionStart: text.length,
      selectionEnd: text.length,
    }
    onChange(`${text.slice(0, selectionStart)}{{${path}}}${text.slice(selectionEnd)}`)
    field.current?.focus()
  }
  return (
    <div className="stack stack--tight">
      <TextArea
        ref={field}
        label={t`Text`}
        name="body"
        rows={6}
        hint={t`What follows a | is used where there’s no value: {{contact.firstName|there}}.`}
        value={text}
        onChange={({ target }) => onChange(target.value)}
      />
      <div className="row">
        <Menu
          label={t`Insert a value`}
          align="start"
          trigger={
            <Button size="small" icon={Braces}>
              {t`Insert a value`}
            </Button>
          }
        >
          {REPLY_VALUES.map(({ path, label }) => (
            <MenuItem key={path} onSelect={() => insert(path)}>
              {label}
            </MenuItem>
          ))}
        </Menu>
      </div>
    </div>
  )
}

const KEEP = ''
const ME = 'me'

/** What is done once the reply is sent. */
const Afterwards = ({
  draft: { tagIds, assigneeId, closes },
  onChange,
}: {
  draft: NewSavedReply
  onChange: (change: Partial<NewSavedReply>) => void
}) => {
  const api = useApi()
  const { data: known } = useQuery(tagsQuery(api))
  const { data: team } = useQuery(agentsQuery(api))
  const [isOpen] = useState(tagIds.length > 0 || assigneeId !== null || closes)
  const agents = (team?.agents ?? []).filter(({ role }) => role !== 'ai')
  return (
    <Disclosure title={t`Afterwards`} isOpen={isOpen}>
      <CheckGroup
        label={t`Add tags to the customer`}
        name="tagIds"
        options={namedOptions(known?.tags)}
        chosen={tagIds}
        onChange={(chosen) => onChange({ tagIds: chosen })}
      />
      <Select
        label={t`Assign`}
        name="assigneeId"
        value={assigneeId ?? KEEP}
        options={[
          { value: KEEP, label: t`Leave as it is` },
          { value: ME, label: t`Whoever uses this reply` },
          ...agents.map(({ id, nickname }) => ({ value: id, label: nickname })),
        ]}
        onChange={({ target }) => onChange({ assigneeId: target.value === KEEP ? null : target.value })}
      />
      <Checkbox
        label={t`Close the conversation`}
        checked={closes}
        onChange={({ target }) => onChange({ closes: target.checked })}
      />
    </Disclosure>
  )
}
