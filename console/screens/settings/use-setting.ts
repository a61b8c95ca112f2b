// Loads one page's data and refreshes it after changes. A saved change may show on several pages, so all are refetched.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { keys } from '../../state/query-keys.ts'
import { useApi } from '../../state/session.tsx'

export const useSetting = <T>(page: string, path: string) => {
  const api = useApi()
  return useQuery({
    queryKey: keys.setting(api.workspaceId, page),
    queryFn: ({ signal }) => api.get<T>(path, {}, signal),
  })
}

/** Waits for the visible pages, so that a dialog closes when the new data is shown. */
export const useSettingsChanged = (): (() => Promise<void>) => {
  const { workspaceId } = useApi()
  const client = useQueryClient()
  return useCallback(async () => {
    void client.invalidateQueries({ queryKey: keys.session })
    void client.invalidateQueries({ queryKey: keys.agents(workspaceId) })
    void client.invalidateQueries({ queryKey: keys.teams(workspaceId) })
    await client.invalidateQueries({ queryKey: keys.settings(workspaceId) })
  }, [client, workspaceId])
}
