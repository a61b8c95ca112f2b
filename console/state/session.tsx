// Who is signed in, which workspace this tab shows, and what the user may do in it.
import { queryOptions, useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from 'react'
import { LANGUAGE } from '../words/locale.ts'
import { request, type WorkspaceApi, workspaceApi } from './api.ts'
import { keys } from './query-keys.ts'
import type { Permission, Session, Workspace } from './types.ts'

export const sessionQuery = queryOptions({
  queryKey: keys.session,
  queryFn: async ({ signal }) => {
    const session = await request<Session>('GET', '/session', { signal })
    const { language } = session.account
    if (language?.language !== LANGUAGE)
      void import('./follow-language.ts').then((follow) => follow.default(language))
    return session
  },
  staleTime: 5 * 60_000,
  retry: false,
})

const CHOSEN_KEY = 'foyer.workspace'

// Each tab keeps its own choice; a new tab starts with the most recent one of any tab.
const readChosen = (): string | null => sessionStorage.getItem(CHOSEN_KEY) ?? localStorage.getItem(CHOSEN_KEY)
export const writeChosen = (workspaceId: string): void => {
  sessionStorage.setItem(CHOSEN_KEY, workspaceId)
  localStorage.setItem(CHOSEN_KEY, workspaceId)
}

/** The workspace that this tab shows: not one that the user was just added to, unless it is the only one. */
export const chosenOf = (
  { workspaces }: Session,
  chosen: string | null = readChosen(),
): Workspace | undefined =>
  workspaces.find(({ id }) => id === chosen) ?? workspaces.find(({ isNew }) => !isNew) ?? workspaces[0]

export type Signed = {
  session: Session
  workspace: Workspace
  isAdmin: boolean
  can: (permission: Permission) => boolean
  api: WorkspaceApi
  switchWorkspace: (workspaceId: string) => void
}

const Context = createContext<Signed | null>(null)

export const SessionProvider = ({
  session,
  onSwitch,
  children,
  fallback,
}: {
  session: Session
  onSwitch: () => void
  children: ReactNode
  /** Shown to users without a workspace. */
  fallback: ReactNode
}) => {
  const client = useQueryClient()
  const [chosen, setChosen] = useState(readChosen)
  const workspace = chosenOf(session, chosen)

  const switchWorkspace = useCallback(
    (workspaceId: string) => {
      writeChosen(workspaceId)
      client.removeQueries({ queryKey: ['w'] })
      setChosen(workspaceId)
      onSwitch()
    },
    [client, onSwitch],
  )

  const value = useMemo<Signed | null>(
    () =>
      workspace
        ? {
            session,
            workspace,
            isAdmin: workspace.role === 'admin',
            can: (permission) => workspace.role === 'admin' || workspace.permissions.includes(permission),
            api: workspaceApi(workspace.id),
            switchWorkspace,
          }
        : null,
    [session, workspace, switchWorkspace],
  )
  if (!value) return fallback
  return <Context value={value}>{children}</Context>
}

export const useSession = (): Signed => {
  const value = useContext(Context)
  if (!value) throw new Error('useSession outside of a signed-in screen')
  return value
}

/** The workspace's requests and id, for queries and their keys. */
export const useApi = (): WorkspaceApi => useSession().api
