// How the list is shown and worked through: its order and density, what follows after a conversation, and what counts as
// unread. Order is in the URL, what counts is the person's on every device, and the rest is this browser's.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { countsQuery, type ListFilter } from '../../state/conversations.ts'
import { setPreference, usePreferences } from '../../state/preferences.ts'
import { keys } from '../../state/query-keys.ts'
import { useApi } from '../../state/session.tsx'
import { MenuChoice, MenuGroup, MenuLine } from '../../ui/menu.tsx'
import { toastError } from '../../ui/toast.tsx'
import { t } from '../../words/t.ts'

const AFTER = {
  next: t`Open the next one`,
  previous: t`Open the previous one`,
  list: t`Back to the list`,
} as const

const UnreadChoice = () => {
  const api = useApi()
  const client = useQueryClient()
  const { data } = useQuery(countsQuery(api))
  const choose = useMutation({
    mutationFn: (includesUnassigned: boolean) => api.put('/unread-choice', { includesUnassigned }),
    onSettled: () => client.invalidateQueries({ queryKey: keys.counts(api.workspaceId) }),
    onError: toastError,
  })
  if (!data) return null
  return (
    <MenuGroup label={t`Unread count in the menu and the title`}>
      {[
        { includes: false, text: t`Mine` },
        { includes: true, text: t`Mine and unassigned` },
      ].map(({ includes, text }) => (
        <MenuChoice
          key={text}
          isChosen={(choose.isPending ? choose.variables : data.includesUnassigned) === includes}
          onSelect={() => choose.mutate(includes)}
        >
          {text}
        </MenuChoice>
      ))}
    </MenuGroup>
  )
}

const ViewMenu = ({
  order,
  onOrder,
}: Pick<ListFilter, 'order'> & { onOrder: (order: ListFilter['order']) => void }) => {
  const { afterDone, isCompact } = usePreferences()
  return (
    <>
      <MenuGroup label={t`Order`}>
        <MenuChoice isChosen={!order} onSelect={() => onOrder(undefined)}>
          {t`Latest activity`}
        </MenuChoice>
        <MenuChoice isChosen={order === 'waiting'} onSelect={() => onOrder('waiting')}>
          {t`Waiting longest for a reply`}
        </MenuChoice>
        <MenuChoice isChosen={order === 'due'} onSelect={() => onOrder('due')}>
          {t`Due first`}
        </MenuChoice>
      </MenuGroup>
      <MenuLine />
      <MenuChoice isChosen={isCompact} onSelect={() => setPreference({ isCompact: !isCompact })}>
        {t`Compact rows`}
      </MenuChoice>
      <MenuLine />
      <MenuGroup label={t`After closing or assigning a conversation`}>
        {(['next', 'previous', 'list'] as const).map((after) => (
          <MenuChoice
            key={after}
            isChosen={afterDone === after}
            onSelect={() => setPreference({ afterDone: after })}
          >
            {AFTER[after]}
          </MenuChoice>
        ))}
      </MenuGroup>
      <MenuLine />
      <UnreadChoice />
    </>
  )
}
export default ViewMenu
