// One group and its members.
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Megaphone, MoreHorizontal, Pencil, Plus, Search, Trash2, UserMinus, UsersRound } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import type { ApiError } from '../../state/api.ts'
import { useCommands } from '../../state/commands.ts'
import { useSession } from '../../state/session.tsx'
import type { GroupMembers, GroupSummary } from '../../state/types.ts'
import { BackLink } from '../../ui/back-link.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button, ButtonLink, IconButton } from '../../ui/button.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState, LoadProblem } from '../../ui/empty-state.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { LoadMore, Page } from '../../ui/page.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { Skeleton, SkeletonRows } from '../../ui/spinner.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { Channels, Email, Who } from '../contacts/contact-who.tsx'
import { groupsChanged, groupsQuery, membersQuery, peopleCount } from './groups-state.ts'

const EditGroup = lazy(() => import('./edit-group.tsx'))
const DeleteGroup = lazy(() => import('./delete-group.tsx'))
const AddMembers = lazy(() => import('./add-members.tsx'))

const back = <BackLink to="/groups">Groups</BackLink>
type Member = GroupMembers['members'][number]

export const Group = () => {
  const { groupId } = useParams({ from: '/signed/groups/$groupId' })
  const { api } = useSession()
  const { data, error, refetch } = useQuery(groupsQuery(api))
  const group = data?.groups.find(({ id }) => id === groupId)
  if (group) return <Loaded key={groupId} group={group} />
  return (
    <Page title="Group" back={back}>
      {error && !data ? (
        <LoadProblem error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton lines={6} label="Loading group" />
      ) : (
        <EmptyState
          icon={UsersRound}
          title="Group not found"
          action={<ButtonLink to="/groups">All groups</ButtonLink>}
        >
          It may have been deleted.
        </EmptyState>
      )}
    </Page>
  )
}

const COLUMNS: Column<Member>[] = [
  {
    id: 'name',
    head: 'Name',
    width: '36%',
    cell: ({ id, name }) => (
      <Who id={id} name={name}>
        <Link to="/contacts/$contactId" params={{ contactId: id }}>
          <bdi>{name}</bdi>
        </Link>
      </Who>
    ),
  },
  {
    id: 'phone',
    head: 'Phone',
    cell: ({ phone }) => phone && <span className="numeric">{phone}</span>,
  },
  {
    id: 'email',
    head: 'Email',
    cell: ({ email, emailVerified }) =>
      email && (
        <bdi>
          <Email email={email} isVerified={emailVerified} />
        </bdi>
      ),
  },
  { id: 'channels', head: 'Channels', cell: ({ channels }) => <Channels channels={channels} /> },
  {
    id: 'whatsapp',
    head: 'Broadcasts',
    cell: ({ hasWhatsapp }) =>
      hasWhatsapp ? <Badge tone="ok">Reachable</Badge> : <Badge>No WhatsApp</Badge>,
  },
]

const Loaded = ({ group }: { group: GroupSummary }) => {
  const { api, can } = useSession()
  const { q = '' } = useSearch({ from: '/signed/groups/$groupId' })
  const navigate = useNavigate({ from: '/groups/$groupId' })
  const client = useQueryClient()
  const [dialog, setDialog] = useState<'edit' | 'delete' | 'add' | null>(null)
  const [selectedIds, setSelected] = useState<ReadonlySet<string>>(new Set())
  const members = useInfiniteQuery(membersQuery(api, group.id, q))
  const rows = members.data?.pages.flatMap((page) => page.members)
  const total = members.data?.pages.at(-1)?.total
  const mayManage = can('manage_groups')

  const remove = useMutation({
    mutationFn: (contactIds: string[]) =>
      api.post<{ removed: number }>(`/contact-groups/${group.id}/members/remove`, { contactIds }),
    onSuccess: async ({ removed }, contactIds) => {
      setSelected(new Set())
      await groupsChanged(client, api.workspaceId, group.id)
      toast(`${peopleCount(removed)} removed`, {
        action: {
          label: 'Undo',
          run: () =>
            void api
              .post(`/contact-groups/${group.id}/members`, { contactIds })
              .then(() => groupsChanged(client, api.workspaceId, group.id))
              .catch(toastError),
        },
      })
    },
    onError: toastError,
  })

  useCommands(
    mayManage
      ? [
          {
            id: 'add members',
            label: 'Add people to group',
            group: 'Group',
            keys: 'a',
            icon: Plus,
            run: () => setDialog('add'),
          },
          {
            id: 'rename group',
            label: 'Rename group',
            group: 'Group',
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
      about={
        <>
          {group.description && (
            <>
              <bdi>{group.description}</bdi>
              <br />
            </>
          )}
          <span className="numeric">
            {peopleCount(group.memberCount)}, {group.whatsappCount.toLocaleString()} on WhatsApp
          </span>
        </>
      }
      actions={
        <>
          {can('send_broadcasts') && (
            <ButtonLink icon={Megaphone} to="/broadcasts/new" search={{ group: group.id }}>
              Send broadcast
            </ButtonLink>
          )}
          {mayManage && (
            <>
              <Button variant="primary" icon={Plus} onClick={() => setDialog('add')}>
                Add people
              </Button>
              <Menu
                label="More"
                trigger={<IconButton icon={MoreHorizontal} label="More" hasTooltip={false} />}
              >
                <MenuItem icon={Pencil} keys="r" onSelect={() => setDialog('edit')}>
                  Rename
                </MenuItem>
                <MenuItem icon={Trash2} isDanger onSelect={() => setDialog('delete')}>
                  Delete
                </MenuItem>
              </Menu>
            </>
          )}
        </>
      }
    >
      {(group.memberCount > 0 || q) && (
        <SearchField
          label="Search members"
          placeholder="Name, email, phone or username"
          value={q}
          onSearch={(text) => {
            setSelected(new Set())
            void navigate({ search: { q: text || undefined }, replace: true })
          }}
        />
      )}
      {q && total !== undefined && (
        <p className="text-soft text-small numeric" role="status">
          {peopleCount(total)} found
        </p>
      )}
      {selectedIds.size > 0 && (
        <div className="selection-bar">
          <span className="grow" role="status">
            {selectedIds.size} selected
          </span>
          <Button icon={UserMinus} isBusy={remove.isPending} onClick={() => remove.mutate([...selectedIds])}>
            Remove from group
          </Button>
          <Button variant="ghost" onClick={() => setSelected(new Set())}>
            Clear
          </Button>
        </div>
      )}
      {members.error && !rows ? (
        (members.error as ApiError).status === 403 ? null : (
          <LoadProblem error={members.error} onRetry={() => void members.refetch()} />
        )
      ) : !rows ? (
        <SkeletonRows />
      ) : (
        <DataTable
          label="Members"
          columns={COLUMNS}
          rows={rows}
          keyOf={({ id }) => id}
          isBusy={members.isPlaceholderData}
          onOpen={({ id }) => void navigate({ to: '/contacts/$contactId', params: { contactId: id } })}
          selection={
            mayManage ? { selectedIds, onChange: setSelected, nameOf: ({ name }) => name } : undefined
          }
          empty={
            q ? (
              <EmptyState icon={Search} title="No matching members">
                Try a shorter search.
              </EmptyState>
            ) : (
              <EmptyState
                icon={UsersRound}
                title="No members yet"
                action={
                  mayManage && (
                    <Button icon={Plus} onClick={() => setDialog('add')}>
                      Add people
                    </Button>
                  )
                }
              >
                Search for contacts, use a filter, or paste phone numbers and emails.
              </EmptyState>
            )
          }
        />
      )}
      {members.hasNextPage && (
        <LoadMore isBusy={members.isFetchingNextPage} onLoad={() => void members.fetchNextPage()} />
      )}
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
