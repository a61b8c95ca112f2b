import { useQuery } from '@tanstack/react-query'
import {
  Archive,
  ArchiveRestore,
  ArrowLeft,
  Bot,
  Link2,
  MailOpen,
  MoreHorizontal,
  PanelRight,
  UserRound,
  UserRoundMinus,
  UserRoundPlus,
} from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useCommands } from '../../state/commands.ts'
import { setPreference, usePreferences } from '../../state/preferences.ts'
import { keys } from '../../state/query-keys.ts'
import { useSession } from '../../state/session.tsx'
import type { Agent, ConversationDetails } from '../../state/types.ts'
import { Avatar, Badge, channelName } from '../../ui/badge.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import type { PickerItem } from '../../ui/picker.tsx'
import { Popover } from '../../ui/popover.tsx'
import { toast } from '../../ui/toast.tsx'
import type { Actions } from './use-actions.ts'

// Loaded when needed: most conversations are opened without using the picker.
const Picker = lazy(async () => ({ default: (await import('../../ui/picker.tsx')).Picker }))

const UNASSIGN = 'unassign'
const isWide = (): boolean => matchMedia('(min-width: 1101px)').matches

export const ConversationHead = ({
  details,
  actions,
  onLeave,
  onPanel,
}: {
  details: ConversationDetails | undefined
  actions: Actions | null
  onLeave: () => void
  onPanel: () => void
}) => {
  const { isPanelOpen } = usePreferences()
  const conversation = details?.conversation
  const isClosed = conversation?.status === 'closed'
  const togglePanel = (): void => (isWide() ? setPreference({ isPanelOpen: !isPanelOpen }) : onPanel())
  const markUnread = (): void => {
    // Staying on the conversation would mark it as read again.
    onLeave()
    void actions?.markUnread()
  }
  const toggleStatus = (): void => void (isClosed ? actions?.reopen() : actions?.close())

  useCommands([
    {
      id: 'status',
      label: isClosed ? 'Reopen conversation' : 'Close conversation',
      group: 'Conversation',
      keys: 'e',
      icon: isClosed ? ArchiveRestore : Archive,
      run: toggleStatus,
    },
    {
      id: 'unread',
      label: 'Mark as unread',
      group: 'Conversation',
      keys: 'u',
      icon: MailOpen,
      run: markUnread,
    },
    {
      id: 'panel',
      label: 'Toggle customer details',
      group: 'Conversation',
      keys: 'i',
      icon: PanelRight,
      run: togglePanel,
    },
    {
      id: 'leave',
      label: 'Back to list',
      group: 'Conversation',
      keys: 'escape',
      run: onLeave,
      inPalette: false,
    },
  ])

  return (
    <header className="convo-head">
      <IconButton icon={ArrowLeft} label="Back to list" className="convo-head__back" onClick={onLeave} />
      {conversation ? (
        <button
          type="button"
          className="convo-head__who"
          onClick={togglePanel}
          data-tip="Toggle customer details"
          data-tip-keys="i"
        >
          <Avatar
            name={conversation.contact.name}
            seed={conversation.contact.id}
            url={conversation.contact.avatarUrl}
            size="medium"
          />
          <span className="convo-head__names">
            <span className="row">
              <bdi className="convo-head__name truncate">{conversation.contact.name}</bdi>
              {isClosed && <Badge>Closed</Badge>}
            </span>
            <span className="convo-head__about truncate">
              {details.subject && (
                <>
                  <bdi>{details.subject}</bdi>
                  {' · '}
                </>
              )}
              {channelName(conversation.channel)}
              {details.channelAccount.name && (
                <>
                  {' · '}
                  <bdi>{details.channelAccount.name}</bdi>
                </>
              )}
            </span>
          </span>
        </button>
      ) : (
        <span className="grow" />
      )}
      {conversation && actions && (
        <div className="convo-head__actions">
          <Assign assignment={conversation.assignment} actions={actions} />
          <Button
            variant="secondary"
            icon={isClosed ? ArchiveRestore : Archive}
            onClick={toggleStatus}
            className="convo-head__status"
            aria-label={isClosed ? 'Reopen' : 'Close'}
            data-tip={isClosed ? 'Reopen' : 'Close'}
            data-tip-keys="e"
          >
            <span className="convo-head__word">{isClosed ? 'Reopen' : 'Close'}</span>
          </Button>
          <IconButton
            icon={PanelRight}
            label="Toggle customer details"
            keys="i"
            className="convo-head__panel"
            onClick={togglePanel}
          />
          <Menu label="More" trigger={<IconButton icon={MoreHorizontal} label="More" />}>
            <MenuItem icon={MailOpen} keys="u" onSelect={markUnread}>
              Mark as unread
            </MenuItem>
            <MenuItem icon={UserRound} keys="i" onSelect={togglePanel}>
              Toggle customer details
            </MenuItem>
            <MenuItem
              icon={Link2}
              onSelect={() => {
                void navigator.clipboard
                  ?.writeText(`${location.origin}/inbox/all/${conversation.id}`)
                  .then(() => toast('Link copied'))
              }}
            >
              Copy link
            </MenuItem>
          </Menu>
        </div>
      )}
    </header>
  )
}

type Assignment = ConversationDetails['conversation']['assignment']

/** Who the conversation can be assigned to, starting with the agent; last, an item that unassigns it. */
const assigneeItems = (agents: readonly Agent[], assignment: Assignment, ownId: string): PickerItem[] => {
  const others = agents.filter(({ id }) => id !== assignment?.agentId)
  const mineFirst = [...others.filter(({ id }) => id === ownId), ...others.filter(({ id }) => id !== ownId)]
  const items: PickerItem[] = mineFirst.map(({ id, nickname, role, isOnline }) => ({
    id,
    text: id === ownId ? `Me (${nickname})` : nickname,
    content: (
      <>
        {role === 'ai' ? (
          <Bot size={18} aria-hidden />
        ) : (
          <Avatar name={nickname} seed={id} size="small" isOnline={isOnline} />
        )}
        <bdi className="truncate">{id === ownId ? 'Me' : nickname}</bdi>
      </>
    ),
    hint: role === 'ai' ? 'AI' : isOnline ? 'Online' : undefined,
  }))
  if (!assignment) return items
  const unassign = {
    id: UNASSIGN,
    text: 'Unassigned',
    content: (
      <>
        <UserRoundMinus size={18} aria-hidden />
        <span>Unassigned</span>
      </>
    ),
    hint: assignment.agentId === ownId ? 'Shift+A' : undefined,
  }
  return [...items, unassign]
}

const Assign = ({ assignment, actions }: { assignment: Assignment; actions: Actions }) => {
  const { api, session, can } = useSession()
  const [isOpen, setOpen] = useState(false)
  const { data } = useQuery({
    queryKey: keys.agents(api.workspaceId),
    queryFn: ({ signal }) => api.get<{ agents: Agent[] }>('/agents', {}, signal),
  })
  const agents = data?.agents ?? []
  const ownId = session.account.id
  const isMine = assignment?.agentId === ownId
  // Without the permission, agents may only hand over their own conversations.
  const mayAssign = can('assign_conversations') || isMine
  const group = 'Conversation'
  const assign = { id: 'assign', label: 'Assign…', group, keys: 'a', icon: UserRoundPlus }
  const unassign = { id: 'unassign', label: 'Unassign', group, keys: 'shift+a', icon: UserRoundMinus }
  useCommands([
    ...(mayAssign ? [{ ...assign, run: () => setOpen(true) }] : []),
    ...(isMine ? [{ ...unassign, run: () => void actions.unassign() }] : []),
  ])

  const label = assignment ? (isMine ? 'You' : assignment.agentNickname) : 'Assign'
  if (!mayAssign)
    return (
      <span className="text-soft text-small truncate">
        <bdi>{assignment ? label : 'Unassigned'}</bdi>
      </span>
    )
  return (
    <Popover
      label="Assign"
      isOpen={isOpen}
      onOpenChange={setOpen}
      isFlush
      trigger={
        <Button
          variant="secondary"
          icon={assignment?.isAi ? Bot : UserRound}
          className="convo-head__assign"
          data-tip={assignment ? `Assigned to ${assignment.agentNickname}` : 'Assign'}
          data-tip-keys="a"
        >
          <bdi className="truncate">{label}</bdi>
        </Button>
      }
    >
      <Suspense>
        <Picker
          label="Assign to"
          placeholder="Assign to…"
          empty="No matching teammates."
          items={assigneeItems(agents, assignment, ownId)}
          onPick={(id) => {
            setOpen(false)
            const agent = agents.find((other) => other.id === id)
            if (id === UNASSIGN) void actions.unassign()
            else if (agent) void actions.assign(agent)
          }}
        />
      </Suspense>
    </Popover>
  )
}
