// Saving the current filter under a name, and renaming, ordering and deleting saved views. Loaded when one is opened.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ArrowUp, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { ListFilter } from '../../state/conversations.ts'
import { newId } from '../../state/new-id.ts'
import { keys } from '../../state/query-keys.ts'
import { savedViewsQuery } from '../../state/saved-views.ts'
import { useApi, useSession } from '../../state/session.tsx'
import type { SavedView } from '../../state/types.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Checkbox, TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { t } from '../../words/t.ts'
import { openSavedViews } from './saved-views-open.ts'

const close = (): void => openSavedViews(null)
const kindOf = (isShared: boolean): string => (isShared ? 'shared' : 'own')

const useRefresh = () => {
  const client = useQueryClient()
  const { workspaceId } = useApi()
  return () => client.invalidateQueries({ queryKey: keys.savedViews(workspaceId) })
}

const SaveView = ({ filter }: { filter: ListFilter }) => {
  const { api, can } = useSession()
  const refresh = useRefresh()
  const [id] = useState(newId)
  const [name, setName] = useState('')
  const [isShared, setShared] = useState(false)
  const save = useMutation({
    mutationFn: () => api.put(`/saved-views/${kindOf(isShared)}/${id}`, { name, filter }),
    onSuccess: () => {
      close()
      toast(t`View saved`)
      return refresh()
    },
  })
  return (
    <FormDialog
      title={t`Save this view`}
      about={t`Its filters and order, under a name in the list’s menu.`}
      submitLabel={t`Save view`}
      save={save}
      onClose={close}
      onSubmit={() => save.mutate()}
    >
      <TextField
        label={t`Name`}
        name="name"
        value={name}
        onChange={({ target }) => setName(target.value)}
        required
      />
      {can('see_all_conversations') && (
        <Checkbox
          label={t`Share with the team`}
          checked={isShared}
          onChange={({ target }) => setShared(target.checked)}
        />
      )}
    </FormDialog>
  )
}

const ManageViews = () => {
  const { api, can } = useSession()
  const refresh = useRefresh()
  const { data: views = [] } = useQuery(savedViewsQuery(api))
  const change = async (work: Promise<unknown>): Promise<void> => {
    await work.catch(toastError)
    await refresh()
  }
  const rename = (view: SavedView, name: string): void => {
    const { id, isShared, filter } = view
    if (name.trim() && name !== view.name)
      void change(api.put(`/saved-views/${kindOf(isShared)}/${id}`, { name, filter }))
  }
  const raise = ({ id, isShared }: SavedView): void => {
    const ids = views.filter((other) => other.isShared === isShared).map((other) => other.id)
    const at = ids.indexOf(id)
    ids.splice(at - 1, 0, ...ids.splice(at, 1))
    void change(api.put(`/saved-view-order/${kindOf(isShared)}`, { ids }))
  }
  return (
    <Dialog title={t`Saved views`} isOpen onClose={close} foot={<Button onClick={close}>{t`Done`}</Button>}>
      <ul className="stack">
        {views.map((view, at) => {
          const { id, name, isShared } = view
          const mayChange = !isShared || can('see_all_conversations')
          const isFirst = views[at - 1]?.isShared !== isShared
          return (
            <li key={id} className="row">
              <input
                className="input grow"
                dir="auto"
                aria-label={t`Name of ${name}`}
                defaultValue={name}
                disabled={!mayChange}
                onBlur={({ target }) => rename(view, target.value)}
              />
              <span className="text-soft text-small">{isShared ? t`Team` : t`Yours`}</span>
              <IconButton
                icon={ArrowUp}
                label={t`Move ${name} up`}
                disabled={!mayChange || isFirst}
                onClick={() => raise(view)}
              />
              <IconButton
                icon={Trash2}
                label={t`Delete ${name}`}
                disabled={!mayChange}
                onClick={() => void change(api.delete(`/saved-views/${kindOf(isShared)}/${id}`))}
              />
            </li>
          )
        })}
      </ul>
    </Dialog>
  )
}

const SavedViews = ({ which, filter }: { which: 'save' | 'manage'; filter: ListFilter }) =>
  which === 'save' ? <SaveView filter={filter} /> : <ManageViews />
export default SavedViews
