// Groups: lists of contacts to send broadcasts to.

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Megaphone, MoreHorizontal, Pencil, Plus, Search, Trash2, UsersRound } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { countOf } from '../../state/amounts.ts'
import { useCommands } from '../../state/commands.ts'
import { dateOf, fullMoment } from '../../state/dates.ts'
import { groupsQuery } from '../../state/groups.ts'
import { useSession } from '../../state/session.tsx'
import type { GroupSummary } from '../../state/types.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState, LoadProblem } from '../../ui/empty-state.tsx'
import { Menu, MenuItem, MenuLink } from '../../ui/menu.tsx'
import { Page } from '../../ui/page.tsx'
import { filterItems } from '../../ui/picker.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { SkeletonRows } from '../../ui/spinner.tsx'
import { t } from '../../words/t.ts'

const EditGroup = lazy(() => import('./edit-group.tsx'))
const DeleteGroup = lazy(() => import('./delete-group.tsx'))

/** The number of groups from which the search field is shown. */
const SEARCH_FROM = 8

type OpenDialog = { what: 'edit'; group: GroupSummary | null } | { what: 'delete'; group: GroupSummary }

const columnsFor = (mayManage: boolean, onOpen: (open: OpenDialog) => void): Column<GroupSummary>[] => [
  {
    id: 'name',
    head: t`Name`,
    width: '50%',
    cell: ({ id, name, description }) => (
      <div className="stack stack--none">
        {mayManage ? (
          <Link to="/groups/$groupId" params={{ groupId: id }}>
            <bdi>{name}</bdi>
          </Link>
        ) : (
          <bdi className="text-strong">{name}</bdi>
        )}
        {description && <bdi className="text-soft text-small">{description}</bdi>}
      </div>
    ),
  },
  {
    id: 'members',
    head: t`Members`,
    align: 'end',
    cell: ({ memberCount }) => countOf(memberCount),
  },
  {
    id: 'whatsapp',
    head: t`On WhatsApp`,
    align: 'end',
    cell: ({ whatsappCount }) => countOf(whatsappCount),
  },
  {
    id: 'changed',
    head: t`Updated`,
    align: 'end',
    cell: ({ updatedAt }) => (
      <time dateTime={updatedAt} title={fullMoment(updatedAt)}>
        {dateOf(updatedAt)}
      </time>
    ),
  },
  {
    id: 'actions',
    head: <span className="hidden-visually">{t`Actions`}</span>,
    align: 'end',
    width: '52px',
    cell: (group) => (
      <span className="table__menu">
        <GroupMenu group={group} onOpen={onOpen} />
      </span>
    ),
  },
]

const GroupMenu = ({ group, onOpen }: { group: GroupSummary; onOpen: (open: OpenDialog) => void }) => {
  const { can } = useSession()
  return (
    <Menu
      label={t`Actions for ${group.name}`}
      trigger={<IconButton icon={MoreHorizontal} label={t`Actions for ${group.name}`} hasTooltip={false} />}
    >
      {can('send_broadcasts') && (
        <MenuLink icon={Megaphone} link={{ to: '/broadcasts/new', search: { group: group.id } }}>
          {t`Send broadcast`}
        </MenuLink>
      )}
      {can('manage_groups') && (
        <>
          <MenuItem icon={Pencil} onSelect={() => onOpen({ what: 'edit', group })}>
            {t`Rename`}
          </MenuItem>
          <MenuItem icon={Trash2} isDanger onSelect={() => onOpen({ what: 'delete', group })}>
            {t`Delete`}
          </MenuItem>
        </>
      )}
    </Menu>
  )
}

export const Groups = () => {
  const { api, can } = useSession()
  const { q = '' } = useSearch({ from: '/signed/groups' })
  const navigate = useNavigate({ from: '/groups' })
  const client = useQueryClient()
  const { data, error, refetch } = useQuery(groupsQuery(api))
  const [open, setOpen] = useState<OpenDialog | null>(null)
  const mayManage = can('manage_groups')
  const groups = data?.groups ?? []
  const shown = q
    ? filterItems(
        groups.map((group) => ({ ...group, text: `${group.name} ${group.description}` })),
        q,
      )
    : groups

  useCommands(
    mayManage
      ? [
          {
            id: 'new group',
            label: t`New group`,
            group: t`Groups`,
            keys: 'n',
            icon: Plus,
            run: () => setOpen({ what: 'edit', group: null }),
          },
        ]
      : [],
  )

  const newGroup = mayManage && (
    <Button variant="primary" icon={Plus} onClick={() => setOpen({ what: 'edit', group: null })}>
      {t`New group`}
    </Button>
  )

  return (
    <Page
      title={t`Groups`}
      about={t`Lists of people you can send broadcasts to.`}
      actions={groups.length > 0 && newGroup}
    >
      {groups.length >= SEARCH_FROM && (
        <SearchField
          label={t`Search groups`}
          value={q}
          onSearch={(text) => void navigate({ search: { q: text || undefined }, replace: true })}
        />
      )}
      {error && !data ? (
        <LoadProblem error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <SkeletonRows rows={4} />
      ) : groups.length === 0 ? (
        <EmptyState icon={UsersRound} title={t`No groups yet`} action={newGroup}>
          {mayManage
            ? t`Create one to send broadcasts to the same people again.`
            : t`Ask someone who can manage groups to create one.`}
        </EmptyState>
      ) : (
        <DataTable
          label={t`Groups`}
          columns={columnsFor(mayManage, setOpen)}
          rows={shown}
          keyOf={({ id }) => id}
          onOpen={
            mayManage
              ? ({ id }) => void navigate({ to: '/groups/$groupId', params: { groupId: id } })
              : undefined
          }
          empty={
            <EmptyState icon={Search} title={t`No matching groups`}>
              {t`Try another search.`}
            </EmptyState>
          }
        />
      )}
      <Suspense>
        {open?.what === 'edit' && (
          <EditGroup
            group={open.group}
            onClose={() => setOpen(null)}
            onSaved={(saved) => {
              client.setQueryData<{ groups: GroupSummary[] }>(groupsQuery(api).queryKey, (known) =>
                known && !known.groups.some(({ id }) => id === saved.id)
                  ? { groups: [...known.groups, saved] }
                  : known,
              )
              if (!open.group) void navigate({ to: '/groups/$groupId', params: { groupId: saved.id } })
            }}
          />
        )}
        {open?.what === 'delete' && <DeleteGroup group={open.group} onClose={() => setOpen(null)} />}
      </Suspense>
    </Page>
  )
}
