import { Link } from '@tanstack/react-router'
import { LogOut, MoreHorizontal, Pencil, UserMinus, UserPlus } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { agoOf, fullMoment } from '../../state/dates.ts'
import { useSession } from '../../state/session.tsx'
import type { Member } from '../../state/types.ts'
import { Avatar, Badge } from '../../ui/badge.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { LoadProblem } from '../../ui/empty-state.tsx'
import { Item, ItemList } from '../../ui/item-list.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { SidePage } from '../../ui/side-pages.tsx'
import { SkeletonRows } from '../../ui/spinner.tsx'
import { rich, t } from '../../words/t.ts'
import { useSetting } from './use-setting.ts'

const AddMember = lazy(() => import('./member-dialogs.tsx').then((all) => ({ default: all.AddMember })))
const EditMember = lazy(() => import('./member-dialogs.tsx').then((all) => ({ default: all.EditMember })))
const SignOutMember = lazy(() =>
  import('./member-dialogs.tsx').then((all) => ({ default: all.SignOutMember })),
)
const RemoveMember = lazy(() => import('./member-dialogs.tsx').then((all) => ({ default: all.RemoveMember })))

type Open = { what: 'add' } | { what: 'edit' | 'sign out' | 'remove'; member: Member }

export const MembersSettings = () => {
  const { data, error, refetch } = useSetting<{ members: Member[] }>('members', '/members')
  const [open, setOpen] = useState<Open | null>(null)
  const close = () => setOpen(null)
  return (
    <SidePage
      title={t`Members`}
      about={t`People with access.`}
      actions={
        <Button variant="primary" icon={UserPlus} onClick={() => setOpen({ what: 'add' })}>
          {t`Add member`}
        </Button>
      }
    >
      {error ? (
        <LoadProblem error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <SkeletonRows rows={3} />
      ) : (
        <ItemList label={t`Members`}>
          {data.members.map((member) => (
            <MemberItem
              key={member.id}
              member={member}
              onEdit={() => setOpen({ what: 'edit', member })}
              onSignOut={() => setOpen({ what: 'sign out', member })}
              onRemove={() => setOpen({ what: 'remove', member })}
            />
          ))}
        </ItemList>
      )}
      <Suspense>
        {open?.what === 'add' && <AddMember onClose={close} />}
        {open?.what === 'edit' && <EditMember member={open.member} onClose={close} />}
        {open?.what === 'sign out' && <SignOutMember member={open.member} onClose={close} />}
        {open?.what === 'remove' && <RemoveMember member={open.member} onClose={close} />}
      </Suspense>
    </SidePage>
  )
}

const roleWords = ({ role, roleName }: Member): string =>
  role === 'admin' ? t`Admin` : role === 'ai' ? t`AI agent` : (roleName ?? t`Agent`)

const MemberItem = ({
  member,
  onEdit,
  onSignOut,
  onRemove,
}: {
  member: Member
  onEdit: () => void
  onSignOut: () => void
  onRemove: () => void
}) => {
  const { session } = useSession()
  const { id, email, nickname, isOnline, lastSeen, createdAt, isManaged, removable, role } = member
  // For members who never signed in, last seen is the time they were added.
  const wasSeen = lastSeen !== createdAt
  return (
    <Item
      lead={<Avatar name={nickname} seed={id} isOnline={isOnline} />}
      title={
        <>
          <bdi>{nickname}</bdi>
          {id === session.account.id && <Badge>{t`You`}</Badge>}
        </>
      }
      about={
        isManaged ? (
          rich`Built in. Turn it off under ${<Link to="/settings/ai-agent">{t`AI agent`}</Link>}.`
        ) : (
          <>
            <bdi>{email}</bdi>
            {' · '}
            {isOnline ? (
              t`online`
            ) : wasSeen ? (
              <span title={fullMoment(lastSeen)}>{rich`last seen ${agoOf(lastSeen)}`}</span>
            ) : (
              t`hasn’t signed in yet`
            )}
          </>
        )
      }
      meta={
        <Badge tone={role === 'admin' ? 'accent' : 'plain'}>
          <bdi>{roleWords(member)}</bdi>
        </Badge>
      }
      actions={
        !isManaged && (
          <Menu
            label={t`Actions for ${nickname}`}
            trigger={
              <IconButton icon={MoreHorizontal} label={t`Actions for ${nickname}`} hasTooltip={false} />
            }
          >
            <MenuItem icon={Pencil} onSelect={onEdit}>
              {t`Edit name or role`}
            </MenuItem>
            <MenuItem icon={LogOut} isDisabled={id === session.account.id} onSelect={onSignOut}>
              {t`Sign out of this workspace`}
            </MenuItem>
            <MenuItem icon={UserMinus} isDanger isDisabled={!removable} onSelect={onRemove}>
              {removable ? t`Remove from workspace` : t`You can’t remove the last admin`}
            </MenuItem>
          </Menu>
        )
      }
    />
  )
}
