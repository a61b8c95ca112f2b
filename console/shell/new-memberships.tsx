import { useMutation, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { workspaceApi } from '../state/api.ts'
import { keys } from '../state/query-keys.ts'
import { useSession } from '../state/session.tsx'
import type { Workspace } from '../state/types.ts'
import { Banner } from '../ui/banner.tsx'
import { Button } from '../ui/button.tsx'
import { toastError } from '../ui/toast.tsx'
import { rich, t } from '../words/t.ts'

const AccountDialogs = lazy(() => import('./account-dialogs.tsx'))

/** Workspaces that the user was added to, until they dismiss the notice. */
const NewMemberships = () => {
  const { session, workspace: current, switchWorkspace } = useSession()
  const client = useQueryClient()
  const [leaving, setLeaving] = useState<Workspace | null>(null)
  const see = useMutation({
    mutationFn: (id: string) => workspaceApi(id).post('/membership/seen', {}),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.session }),
    onError: toastError,
  })
  const [added] = session.workspaces.filter(({ isNew }) => isNew)
  if (!added) return null
  const open = () => {
    see.mutate(added.id)
    if (added.id !== current.id) switchWorkspace(added.id)
  }
  return (
    <>
      <Banner
        action={
          <div className="row row--wrap">
            <Button size="small" onClick={open}>
              {added.id === current.id ? t`OK` : t`:verb:Open`}
            </Button>
            <Button size="small" variant="ghost" onClick={() => setLeaving(added)}>
              {t`Leave workspace`}
            </Button>
          </div>
        }
      >
        {added.addedBy
          ? rich`${<bdi>{added.addedBy}</bdi>} added you to ${<bdi className="text-strong">{added.name}</bdi>}.`
          : rich`You were added to ${<bdi className="text-strong">{added.name}</bdi>}.`}
      </Banner>
      <Suspense>
        {leaving && <AccountDialogs open="leave" workspace={leaving} onClose={() => setLeaving(null)} />}
      </Suspense>
    </>
  )
}
export default NewMemberships
