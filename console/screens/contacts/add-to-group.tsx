import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { UsersRound } from 'lucide-react'
import { useState } from 'react'
import { addedWords, groupsChanged, groupsQuery, peopleCount } from '../../state/groups.ts'
import { useApi } from '../../state/session.tsx'
import type { MembersAdded } from '../../state/types.ts'
import { Button } from '../../ui/button.tsx'
import { Picker } from '../../ui/picker.tsx'
import { Popover } from '../../ui/popover.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { t } from '../../words/t.ts'

/** Adds contacts to a group picked by name. */
export const AddToGroup = ({ contactIds, onDone }: { contactIds: string[]; onDone?: () => void }) => {
  const api = useApi()
  const client = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const { data } = useQuery({ ...groupsQuery(api), enabled: isOpen })
  const add = useMutation({
    mutationFn: (groupId: string) =>
      api.post<MembersAdded>(`/contact-groups/${groupId}/members`, { contactIds }),
    onSuccess: (answer, groupId) => {
      const name = data?.groups.find(({ id }) => id === groupId)?.name ?? t`the group`
      toast(`${name}: ${addedWords(answer)}`)
      void groupsChanged(client, api.workspaceId, groupId)
      onDone?.()
    },
    onError: toastError,
  })
  return (
    <Popover
      label={t`Add to group`}
      isFlush
      isOpen={isOpen}
      onOpenChange={setOpen}
      trigger={
        <Button icon={UsersRound} isBusy={add.isPending}>
          {t`Add to group`}
        </Button>
      }
    >
      <Picker
        label={t`Groups`}
        placeholder={t`Search groups…`}
        empty={data?.groups.length === 0 ? t`No groups yet. Create one first.` : t`No matching groups.`}
        items={(data?.groups ?? []).map(({ id, name, memberCount }) => ({
          id,
          text: name,
          hint: peopleCount(memberCount),
        }))}
        onPick={(groupId) => {
          setOpen(false)
          add.mutate(groupId)
        }}
      />
    </Popover>
  )
}
