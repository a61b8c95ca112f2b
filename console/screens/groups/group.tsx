// One group and its members.

import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Megaphone, MoreHorizontal, Pencil, Plus, Search, Trash2, UserMinus, UsersRound } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { countOf } from '../../state/amounts.ts'
import type { ApiError } from '../../state/api.ts'
import { useCommands } from '../../state/commands.ts'
import { groupsChanged, groupsQuery, membersQuery, peopleCount } from '../../state/groups.ts'
import { useApi, useSession } from '../../state/session.tsx'
import type { GroupMembers, GroupSummary } from '../../state/types.ts'
import { BackLink } from '../../ui/back-link.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button, ButtonLink, IconButton } from '../../ui/button.tsx'
import { type Column, DataTable, SelectionBar } from '../../ui/data-table.tsx'
import { EmptyState, LoadProblem } from '../../ui/empty-state.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { LoadMore, Page } from '../../ui/page.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { Skeleton, SkeletonRows } from '../../ui/spinner.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { rich, t } from '../../words/t.ts'
import { Channels, Email, WhoLink } from '../contacts/contact-who.tsx'

const EditGroup = lazy(() => import('./edit-group.tsx'))
const DeleteGroup = lazy(() => import('./delete-group.tsx'))
const AddMembers = lazy(() => import('./add-members.tsx'))

const back = <BackLink to="/groups">{t`Groups`}</BackLink>
type Member = GroupMembers['members'][number]

export const Group = () => {
  const { groupId } = useParams({ from: '/signed/groups/$groupId' })
  const { api } = useSession()
  const { data, error, refetch } = useQuery(groupsQuery(api))
  const group = data?.groups.find(({ id }) => id === groupId)
  if (group) return <Loaded key={groupId} group={group} />
  return (
    <Page title={t`Group`} back={back}>
      {error && !data ? (
        <LoadProblem error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton lines={6} label={t`Loading group`} />
      ) : (
        <EmptyState
          icon={UsersRound}
          title={t`Group not found`}
          action={<ButtonLink to="/groups">{t`All groups`}</ButtonLink>}
        >
          {t`It may have been deleted.`}
        </EmptyState>
      )}
    </Page>
  )
}

const COLUMNS: Column<Member>[] = [
  {
    id: 'name',
    head: t`Name`,
    width: '36%',
    cell: ({ id, name }) => <WhoLink id={id} name={name} />,
  },
  {
    id: 'phone',
    head: t`Phone`,
    cell: ({ phone }) => phone && <span className="numeric">{phone}</span>,
  },
  {
    id: 'email',
    head: t`Email`,
    cell: ({ email, emailVerified }) =>
      email && (
        <bdi>
          <Email email={email} isVerified={emailVerified} />
        </bdi>
      ),
  },
  { id: 'channels', head: t`Channels`, cell: ({ channels }) => <Channels channels={channels} /> },
  {
    id: 'whatsapp',
    head: t`Broadcasts`,
    cell: ({ hasWhatsapp }) =>
      hasWhatsapp ? <Badge tone="ok">{t`Reachable`}</Badge> : <Badge>{t`No WhatsApp`}</Badge>,
  },
]

type Dialog = 'edit' | 'delete' | 'add'

const Loaded = ({ group }: { group: GroupSummary }) => {
  const { can } = useSession()
  const navigate = useNavigate()
  const [dialog, setDialog] = useState<Dialog | null>(null)
  const mayManage = can('manage_groups')
  useCommands(
    mayManage
      ? [
          {
            id: 'add members',
            label: t`Add people to group`,
            group: t`Group`,
            keys: 'a',
            icon: Plus,
            run: () => setDialog('add'),
          },
          {
            id: 'rename group',
            label: t`Rename group`,
            group: t`Group`,
            keys: 'r',
            icon: Pencil,
            run: () => setDialog('edit'),
          },
        ]
      : [],
  )

  return (
    <Page
      back={back}
      title={<bdi className="title-text">{group.name}</bdi>}
      about={<About group={group} />}
      actions={<Actions group={group} onDialog={setDialog} />}
    >
      <Members group={group} onAdd={() => setDialog('add')} />
      <Suspense>
        {dialog === 'edit' && <EditGroup group={group} onClose={() => setDialog(null)} />}
        {dialog === 'add' && <AddMembers group={group} onClose={() => setDialog(null)} />}
        {dialog === 'delete' && (
          <DeleteGroup
            group={group}
            onClose={() => setDialog(null)}
            onDeleted={() => void navigate({ to: '/groups' })}
          />
        )}
      </Suspense>
    </Page>
  )
}

const About = ({ group }: { group: GroupSummary }) => (
  <>
    {group.description && (
      <>
        <bdi>{group.description}</bdi>
        <br />
      </>
    )}
    <span className="numeric">
      {rich`${peopleCount(group.memberCount)}, ${countOf(group.whatsappCount)} on WhatsApp`}
    </span>
  </>
)

const Actions = ({ group, onDialog }: { group: GroupSummary; onDialog: (dialog: Dialog) => void }) => {
  const { can } = useSession()
  return (
    <>
      {can('send_broadcasts') && (
        <ButtonLink icon={Megaphone} to="/broadcasts/new" search={{ group: group.id }}>
          {t`Send broadcast`}
        </ButtonLink>
      )}
      {can('manage_groups') && (
        <>
          <Button variant="primary" icon={Plus} onClick={() => onDialog('add')}>
            {t`Add people`}
          </Button>
          <Menu
            label={t`More`}
            trigger={<IconButton icon={MoreHorizontal} label={t`More`} hasTooltip={false} />}
          >
            <MenuItem icon={Pencil} keys="r" onSelect={() => onDialog('edit')}>
              {t`Rename`}
            </MenuItem>
            <MenuItem icon={Trash2} isDanger onSelect={() => onDialog('delete')}>
              {t`Delete`}
            </MenuItem>
          </Menu>
        </>
      )}
    </>
  )
}

const useRemoveMembers = (groupId: string, onRemoved: () => void) => {
  const api = useApi()
  const client = useQueryClient()
  const changed = () => groupsChanged(client, api.workspaceId, groupId)
  return useMutation({
    mutationFn: (contactIds: string[]) =>
      api.post<{ removed: number }>(`/contact-groups/${groupId}/members/remove`, { contactIds }),
    onSuccess: async ({ removed }, contactIds) => {
      onRemoved()
      await changed()
      const undo = () => api.post(`/contact-groups/${groupId}/members`, { contactIds }).then(changed)
      toast(t`${peopleCount(removed)} removed`, {
        action: { label: t`Undo`, run: () => void undo().catch(toastError) },
      })
    },
    onError: toastError,
  })
}

/** The members, searchable, to be selected and removed. */
const Members = ({ group, onAdd }: { group: GroupSummary; onAdd: () => void }) => {
  const { api, can } = useSession()
  const { q = '' } = useSearch({ from: '/signed/groups/$groupId' })
  const navigate = useNavigate({ from: '/groups/$groupId' })
  const [selectedIds, setSelected] = useState<ReadonlySet<string>>(new Set())
  const clearSelection = (): void => setSelected(new Set())
  const members = useInfiniteQuery(membersQuery(api, group.id, q))
  const rows = members.data?.pages.flatMap((page) => page.members)
  const total = members.data?.pages.at(-1)?.total
  const mayManage = can('manage_groups')
  const remove = useRemoveMembers(group.id, clearSelection)
  return (
    <>
      {(group.memberCount > 0 || q) && (
        <SearchField
          label={t`Search members`}
          placeholder={t`Name, email, phone or username`}
          value={q}
          onSearch={(text) => {
            clearSelection()
            void navigate({ search: { q: text || undefined }, replace: true })
          }}
        />
      )}
      {q && total !== undefined && (
        <p className="text-soft text-small numeric" role="status">
          {rich`${peopleCount(total)} found`}
        </p>
      )}
      <SelectionBar count={selectedIds.size} onClear={clearSelection}>
        <Button icon={UserMinus} isBusy={remove.isPending} onClick={() => remove.mutate([...selectedIds])}>
          {t`Remove from group`}
        </Button>
      </SelectionBar>
      {members.error && !rows ? (
        (members.error as ApiError).status === 403 ? null : (
          <LoadProblem error={members.error} onRetry={() => void members.refetch()} />
        )
      ) : !rows ? (
        <SkeletonRows />
      ) : (
        <DataTable
          label={t`Members`}
          columns={COLUMNS}
          rows={rows}
          keyOf={({ id }) => id}
          isBusy={members.isPlaceholderData}
          onOpen={({ id }) => void navigate({ to: '/contacts/$contactId', params: { contactId: id } })}
          selection={
            mayManage ? { selectedIds, onChange: setSelected, nameOf: ({ name }) => name } : undefined
          }
          empty={<NoMembers isSearch={q !== ''} onAdd={mayManage ? onAdd : null} />}
        />
      )}
      {members.hasNextPage && (
        <LoadMore isBusy={members.isFetchingNextPage} onLoad={() => void members.fetchNextPage()} />
      )}
    </>
  )
}

const NoMembers = ({ isSearch, onAdd }: { isSearch: boolean; onAdd: (() => void) | null }) =>
  isSearch ? (
    <EmptyState icon={Search} title={t`No matching members`}>
      {t`Try a shorter search.`}
    </EmptyState>
  ) : (
    <EmptyState
      icon={UsersRound}
      title={t`No members yet`}
      action={
        onAdd && (
          <Button icon={Plus} onClick={onAdd}>
            {t`Add people`}
          </Button>
        )
      }
    >
      {t`Search for contacts, use a filter, or paste phone numbers and emails.`}
    </EmptyState>
  )
