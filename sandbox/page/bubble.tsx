// One message in the thread, and what a customer can do with it.
import {
  Check,
  CheckCheck,
  Clock,
  type LucideIcon,
  Pencil,
  Reply,
  SmilePlus,
  TriangleAlert,
} from 'lucide-react'
import { useState } from 'react'
import { IconButton } from '../../console/ui/button.tsx'
import { classNames } from '../../console/ui/class-names.ts'
import { Popover } from '../../console/ui/popover.tsx'
import { APPS } from './apps.ts'
import { Buttons } from './buttons.tsx'
import type { App, Entry } from './client.ts'
import { Content, previewOf } from './content.tsx'
import { timeOf } from './store.ts'

/** What a customer can do with a message. */
export type Actions = {
  tap: (entry: Entry, choice: string) => void
  openList: (entry: Entry) => void
  react: (entry: Entry, emoji: string) => void
  quote: (entry: Entry) => void
  edit: (entry: Entry) => void
}

const REACTIONS = ['👍', '❤️', '😂', '😮', '🙏']

export const Bubble = ({
  entry,
  quoted,
  isFollowing,
  app,
  actions,
}: {
  entry: Entry
  quoted: Entry | undefined
  isFollowing: boolean
  app: App
  actions: Actions
}) => {
  const hasFailed = entry.status === 'failed'
  const { customer, business } = entry.reactions
  return (
    <article
      className={classNames(
        'message',
        entry.from === 'customer' ? 'mine' : 'theirs',
        isFollowing && 'following',
      )}
      data-id={entry.id}
      data-status={entry.status}
      data-type={entry.type}
    >
      <div className="column">
        <div className={classNames('bubble', hasFailed && 'bubble--failed')}>
          {quoted && (
            <blockquote className="quote">
              <span className="quote__text" dir="auto">
                <b>{quoted.from === 'customer' ? 'You' : 'Business'}</b> {previewOf(quoted)}
              </span>
            </blockquote>
          )}
          <Content entry={entry} />
          <Foot entry={entry} />
        </div>
        {hasFailed && (
          <p className="failure">
            <TriangleAlert size={16} aria-hidden />
            Not delivered: {entry.error?.title ?? 'unknown error'} ({entry.error?.code})
          </p>
        )}
        {(customer || business) && (
          <div className="reactions">
            <span className="reactions__one">{[customer, business].filter(Boolean).join(' ')}</span>
          </div>
        )}
        {entry.from === 'business' && !hasFailed && <Buttons entry={entry} actions={actions} />}
      </div>
      {!hasFailed && <Side entry={entry} app={app} actions={actions} />}
    </article>
  )
}

const TICKS: Record<string, LucideIcon> = {
  accepted: Clock,
  sent: Check,
  delivered: CheckCheck,
  read: CheckCheck,
  failed: TriangleAlert,
}

const Foot = ({ entry }: { entry: Entry }) => {
  const read = entry.isReadByBusiness ? 'read' : 'delivered'
  const state = entry.from === 'customer' ? read : (entry.status ?? 'accepted')
  const Icon = TICKS[state]!
  return (
    <footer className={`foot foot--${state} numeric`}>
      <time dateTime={new Date(entry.atMs).toISOString()}>{timeOf(entry.atMs)}</time>
      <Icon size={15} role="img" aria-label={state} />
    </footer>
  )
}

const Side = ({ entry, app, actions }: { entry: Entry; app: App; actions: Actions }) => {
  const { can } = APPS[app]
  if (entry.from === 'customer')
    return can.includes('edit') && entry.type === 'text' ? (
      <div className="side">
        <IconButton icon={Pencil} label="Edit" onClick={() => actions.edit(entry)} />
      </div>
    ) : null
  return can.includes('quote') ? (
    <div className="side">
      {can.includes('react') && <ReactMenu entry={entry} react={actions.react} />}
      <IconButton icon={Reply} label="Reply" onClick={() => actions.quote(entry)} />
    </div>
  ) : null
}

const ReactMenu = ({ entry, react }: { entry: Entry; react: Actions['react'] }) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <Popover
      trigger={<IconButton icon={SmilePlus} label="React" />}
      label="Reactions"
      side="top"
      align="center"
      isOpen={isOpen}
      onOpenChange={setOpen}
    >
      <div className="row emoji">
        {REACTIONS.map((emoji) => {
          const isGiven = entry.reactions.customer === emoji
          return (
            <button
              key={emoji}
              type="button"
              className="icon-button"
              aria-label={`React with ${emoji}`}
              aria-pressed={isGiven}
              onClick={() => {
                setOpen(false)
                react(entry, isGiven ? '' : emoji)
              }}
            >
              {emoji}
            </button>
          )
        })}
      </div>
    </Popover>
  )
}
