// Whether this person is given conversations by themselves, in this workspace. Loaded with the account menu.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { MoonStar } from 'lucide-react'
import { keys } from '../state/query-keys.ts'
import { useApi } from '../state/session.tsx'
import { MenuChoice } from '../ui/menu.tsx'
import { toast, toastError } from '../ui/toast.tsx'
import { t } from '../words/t.ts'

type Away = { isAway: boolean }

export const AwayItem = () => {
  const api = useApi()
  const client = useQueryClient()
  const { data } = useQuery({
    queryKey: keys.away(api.workspaceId),
    queryFn: ({ signal }) => api.get<Away>('/away', {}, signal),
  })
  const save = useMutation({
    mutationFn: (isAway: boolean) => api.put<Away>('/away', { isAway }),
    onSuccess: ({ isAway }) => {
      toast(
        isAway
          ? t`You’re away: no conversations are assigned to you automatically`
          : t`You’re back: conversations are assigned to you again`,
      )
      void client.invalidateQueries({ queryKey: keys.teams(api.workspaceId) })
    },
    onSettled: () => client.invalidateQueries({ queryKey: keys.away(api.workspaceId) }),
    onError: toastError,
  })
  const isAway = (save.isPending ? save.variables : data?.isAway) === true
  return (
    <MenuChoice
      icon={MoonStar}
      isChosen={isAway}
      hint={t`Not assigned automatically`}
      onSelect={() => save.mutate(!isAway)}
    >
      {t`Away`}
    </MenuChoice>
  )
}
