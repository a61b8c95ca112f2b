// Above the thread: who it is with, and what can be done with the whole conversation.
import {
  AlarmClock,
  Archive,
  ArchiveRestore,
  ArrowLeft,
  Flag,
  Link2,
  MailOpen,
  MoreHorizontal,
  PanelRight,
  Tag as TagIcon,
  UserRound,
} from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useCommands } from '../../state/commands.ts'
import { setPreference, usePreferences } from '../../state/preferences.ts'
import type { ConversationDetails } from '../../state/types.ts'
import { Avatar, Badge, Tag } from '../../ui/badge.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { channelName } from '../../ui/channel-name.ts'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { Popover } from '../../ui/popover.tsx'
import { toast } from '../../ui/toast.tsx'
import { t } from '../../words/t.ts'
import { Assign } from './assign.tsx'
import { dueWords } from './due-words.ts'
import { useSelected } from './selection.ts'
import type { PickerKind } from './triage-picker.tsx'
import type { Actions } from './use-actions.ts'

const TriagePicker = lazy(() => import('./triage-picker.tsx'))

const isWide = (): boolean => matchMedia('(min-width: 1101px)').matches

const REOPEN_KEYS = 'shift+e'

const PRIORITIES = ['', t`Low`, t`High`, t`Urgent`]

const PICKERS: { kind: PickerKind; label: string; keys: string; icon: typeof TagIcon }[] = [
  { kind: 'snooze', label: t`Snooze…`, keys: 'z', icon: AlarmClock },
  { kind: 'tag', label: t`Tag…`, keys: 'l', icon: TagIcon },
  { kind: 'priority', label: t`Set priority…`, keys: 'p', icon: Flag },
]

type Props = {
  details: ConversationDetails | undefined
  actions: Actions | null
  onLeave: () => void
  onPanel: () => void
}

/** What can be done, by button and by key. */
const useHead = ({ details, actions, onLeave, onPanel }: Props) => {
  const { isPanelOpen } = usePreferences()
  const [picking, setPicking] = useState<PickerKind | null>(null)
  // The keys are for what is selected.
  const isSelecting = useSelected().size > 0
  const isClosed = details?.conversation.status === 'closed'
  const togglePanel = (): void => (isWide() ? setPreference({ isPanelOpen: !isPanelOpen }) : onPanel())
  const markUnread = (): void => {
    // Staying on the conversation would mark it as read again.
    onLeave()
    void actions?.markUnread()
  }
  const reopen = (): void => void actions?.reopen()
  const toggleStatus = (): void => (isClosed ? reopen() : void actions?.close())
  /** Never the opposite: a colleague may have been faster. */
  const close = (): void =>
    isClosed ? toast(t`Already closed`, { action: { label: t`Reopen`, run: reopen } }) : void actions?.close()
  const group = t`Conversation`
  const panel = { id: 'panel', label: t`Toggle customer details`, group, keys: 'i', icon: PanelRight }
  useCommands([
    { ...panel, run: togglePanel },
    ...(isSelecting
      ? []
      : [
          { id: 'close', label: t`Close conversation`, group, keys: 'e', icon: Archive, run: close },
          ...(isClosed
            ? [
                {
                  id: 'reopen',
                  label: t`Reopen conversation`,
                  group,
                  keys: REOPEN_KEYS,
                  icon: ArchiveRestore,
                  run: reopen,
                },
              ]
            : []),
          { id: 'unread', label: t`Mark as unread`, group, keys: 'u', icon: MailOpen, run: markUnread },
          ...PICKERS.map(({ kind, ...one }) => ({ ...one, id: kind, group, run: () => setPicking(kind) })),
          { id: 'leave', label: t`Back to list`, group, keys: 'escape', run: onLeave, inPalette: false },
        ]),
  ])
  return { picking, setPicking, isSelecting, isClosed, togglePanel, markUnread, toggleStatus }
}

export const ConversationHead = (props: Props) => {
  const { details, actions, onLeave } = props
  const head = useHead(props)
  const { isSelecting, isClosed, togglePanel, markUnread, toggleStatus } = head
  const conversation = details?.conversation
  return (
    <header className="convo-head">
      <IconButton icon={ArrowLeft} label={t`Back to list`} className="convo-head__back" onClick={onLeave} />
      {details ? <Who details={details} onClick={togglePanel} /> : <span className="grow" />}
      {conversation && actions && (
        <div className="convo-head__actions">
          <Assign conversation={conversation} actions={actions} hasKeys={!isSelecting} />
          <Triage conversation={conversation} actions={actions} {...head} />
          <Button
            variant="secondary"
            icon={isClosed ? ArchiveRestore : Archive}
            onClick={toggleStatus}
            className="convo-head__status"
            aria-label={isClosed ? t`Reopen` : t`Close`}
            data-tip={isClosed ? t`Reopen` : t`Close`}
            data-tip-keys={isClosed ? REOPEN_KEYS : 'e'}
          >
            <span className="convo-head__word">{isClosed ? t`Reopen` : t`Close`}</span>
          </Button>
          <IconButton
            icon={PanelRight}
            label={t`Toggle customer details`}
            keys="i"
            className="convo-head__panel"
            onClick={togglePanel}
          />
          <Menu label={t`More`} trigger={<IconButton icon={MoreHorizontal} label={t`More`} />}>
            <MenuItem icon={MailOpen} keys="u" onSelect={markUnread}>
              {t`Mark as unread`}
            </MenuItem>
            {PICKERS.slice(1).map(({ kind, label, keys, icon }) => (
              <MenuItem key={kind} icon={icon} keys={keys} onSelect={() => head.setPicking(kind)}>
                {label}
              </MenuItem>
            ))}
            <MenuItem icon={UserRound} keys="i" onSelect={togglePanel}>
              {t`Toggle customer details`}
            </MenuItem>
            <MenuItem
              icon={Link2}
              onSelect={() => {
                void navigator.clipboard
                  ?.writeText(`${location.origin}/inbox/all/${conversation.id}`)
                  .then(() => toast(t`Link copied`))
              }}
            >
              {t`Copy link`}
            </MenuItem>
          </Menu>
        </div>
      )}
    </header>
  )
}

const Who = ({ details, onClick }: { details: ConversationDetails; onClick: () => void }) => {
  const { conversation, subject, channelAccount } = details
  const { contact, status, answerDueAt, snoozedUntil, priority, tags, channel, team } = conversation
  return (
    <button
      type="button"
      className="convo-head__who"
      onClick={onClick}
      data-tip={t`Toggle customer details`}
      data-tip-keys="i"
    >
      <Avatar name={contact.name} seed={contact.id} url={contact.avatarUrl} size="medium" />
      <span className="convo-head__names">
        <span className="row">
          <bdi className="convo-head__name truncate">{contact.name}</bdi>
          {status === 'closed' && <Badge>{t`Closed`}</Badge>}
          {answerDueAt && (
            <Badge tone={Date.parse(answerDueAt) > Date.now() ? 'plain' : 'danger'}>
              {dueWords(answerDueAt)}
            </Badge>
          )}
          {snoozedUntil && <Badge tone="accent">{t`Snoozed`}</Badge>}
          {priority > 0 && <Badge tone={priority === 1 ? 'plain' : 'warn'}>{PRIORITIES[priority]}</Badge>}
          {tags.map(({ id, name, color }) => (
            <Tag key={id} name={name} color={color} />
          ))}
        </span>
        <span className="convo-head__about truncate">
          {subject && (
            <>
              <bdi>{subject}</bdi>
              {' · '}
            </>
          )}
          {channelName(channel)}
          {team && (
            <>
              {' · '}
              <bdi>{team.name}</bdi>
            </>
          )}
          {channelAccount.name && (
            <>
              {' · '}
              <bdi>{channelAccount.name}</bdi>
            </>
          )}
        </span>
      </span>
    </button>
  )
}

/** Snoozing, tags and priority, in one place below the clock. */
const Triage = ({
  conversation,
  actions,
  picking,
  setPicking,
}: Pick<ReturnType<typeof useHead>, 'picking' | 'setPicking'> & {
  conversation: ConversationDetails['conversation']
  actions: Actions
}) => (
  <Popover
    label={(PICKERS.find(({ kind }) => kind === picking) ?? PICKERS[0]!).label}
    isFlush
    isOpen={picking !== null}
    onOpenChange={(open) => setPicking(open ? 'snooze' : null)}
    trigger={
      <IconButton
        icon={AlarmClock}
        label={t`Snooze`}
        keys="z"
        isPressed={conversation.snoozedUntil !== null}
      />
    }
  >
    <Suspense>
      {picking && (
        <TriagePicker
          kind={picking}
          rows={[conversation]}
          onPicked={(kind, { body }) => {
            setPicking(null)
            if (kind === 'snooze' && 'until' in body) actions.goOn('snoozed')
          }}
          onUndo={actions.comeBack}
        />
      )}
    </Suspense>
  </Popover>
)
