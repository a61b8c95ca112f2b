import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Pencil, Plus, Tags, Trash2 } from 'lucide-react'
import { Suspense, useState } from 'react'
import type { ApiError } from '../../state/api.ts'
import { keys } from '../../state/query-keys.ts'
import { useApi } from '../../state/session.tsx'
import { tagsQuery } from '../../state/tags.ts'
import type { Tag as TagType } from '../../state/types.ts'
import { Tag } from '../../ui/badge.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { ColorField, PRESET_COLORS } from '../../ui/color-field.tsx'
import { EmptyState, LoadProblem } from '../../ui/empty-state.tsx'
import { TextField } from '../../ui/field.tsx'
import { Item, ItemList } from '../../ui/item-list.tsx'
import { DeleteDialog, FormDialog } from '../../ui/lazy-dialogs.ts'
import { SidePage } from '../../ui/side-pages.tsx'
import { SkeletonRows } from '../../ui/spinner.tsx'
import { toast } from '../../ui/toast.tsx'
import { t } from '../../words/t.ts'

type Open = { what: 'edit'; tag: TagType | null } | { what: 'delete'; tag: TagType }

/** Refreshes contacts and lists of contacts, which show tags. */
const useTagsChanged = () => {
  const { workspaceId } = useApi()
  const client = useQueryClient()
  return async (): Promise<void> => {
    void client.invalidateQueries({ queryKey: keys.contacts(workspaceId) })
    void client.invalidateQueries({ queryKey: ['w', workspaceId, 'contact'] })
    await client.invalidateQueries({ queryKey: keys.tags(workspaceId) })
  }
}

export const TagsSettings = () => {
  const api = useApi()
  const { data, error, refetch } = useQuery(tagsQuery(api))
  const changed = useTagsChanged()
  const [open, setOpen] = useState<Open | null>(null)
  const close = () => setOpen(null)
  return (
    <SidePage
      title={t`Tags`}
      about={t`Labels for contacts, such as “VIP”. Anyone who can edit contacts can add and remove them.`}
      actions={
        <Button variant="primary" icon={Plus} onClick={() => setOpen({ what: 'edit', tag: null })}>
          {t`New tag`}
        </Button>
      }
    >
      {error ? (
        <LoadProblem error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <SkeletonRows rows={3} />
      ) : data.tags.length === 0 ? (
        <EmptyState icon={Tags} title={t`No tags yet`}>
          {t`Create one, then add it to contacts here or through the API.`}
        </EmptyState>
      ) : (
        <ItemList label={t`Tags`}>
          {data.tags.map((tag) => (
            <Item
              key={tag.id}
              title={<Tag name={tag.name} color={tag.color} />}
              meta={<code className="text-mono">{tag.color}</code>}
              actions={
                <>
                  <IconButton
                    icon={Pencil}
                    label={t`Edit ${tag.name}`}
                    onClick={() => setOpen({ what: 'edit', tag })}
                  />
                  <IconButton
                    icon={Trash2}
                    label={t`Delete ${tag.name}`}
                    onClick={() => setOpen({ what: 'delete', tag })}
                  />
                </>
              }
            />
          ))}
        </ItemList>
      )}
      <Suspense>
        {open?.what === 'edit' && (
          <EditTag tag={open.tag} count={data?.tags.length ?? 0} onChanged={changed} onClose={close} />
        )}
        {open?.what === 'delete' && (
          <DeleteDialog
            what={t`tag`}
            name={open.tag.name}
            about={t`It’s removed from all contacts.`}
            onClose={close}
            onDelete={async () => {
              await api.delete(`/tags/${open.tag.id}`)
              await changed()
            }}
          />
        )}
      </Suspense>
    </SidePage>
  )
}

const EditTag = ({
  tag,
  count,
  onChanged,
  onClose,
}: {
  tag: TagType | null
  count: number
  onChanged: () => Promise<void>
  onClose: () => void
}) => {
  const api = useApi()
  const save = useMutation<unknown, ApiError, { name: string; color: string }>({
    mutationFn: (given) => (tag ? api.patch(`/tags/${tag.id}`, given) : api.post('/tags', given)),
    onSuccess: async () => {
      await onChanged()
      toast(tag ? t`Saved` : t`Tag created`)
      onClose()
    },
  })
  return (
    <FormDialog
      title={tag ? t`Edit tag` : t`New tag`}
      submitLabel={tag ? t`Save` : t`Create tag`}
      save={save}
      onSubmit={({ name = '', color = '' }) => save.mutate({ name: name.trim(), color })}
      onClose={onClose}
    >
      <TextField
        label={t`Name`}
        name="name"
        defaultValue={tag?.name}
        maxLength={60}
        autoFocus
        autoComplete="off"
      />
      {/* New tags go through the colors in turn, so that neighbours differ. */}
      <ColorField
        label={t`Color`}
        name="color"
        value={tag?.color ?? PRESET_COLORS[count % PRESET_COLORS.length]!.value}
      />
    </FormDialog>
  )
}
