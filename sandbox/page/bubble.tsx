// One message in the thread, and what a customer can do with it.
import {
  Check,
  CheckCheck,
  Clock,
  Copy,
  ExternalLink,
  List,
  type LucideIcon,
  Pencil,
  Phone,
  Reply,
  SmilePlus,
  TriangleAlert,
} from 'lucide-react'
import { useState } from 'react'
import { IconButton } from '../../console/ui/button.tsx'
import { classNames } from '../../console/ui/class-names.ts'
import { Popover } from '../../console/ui/popover.tsx'
import { APPS } from './apps.ts'
import type { App, Entry } from './client.ts'
import { Content, OUTSIDE, previewOf } from './content.tsx'
import { timeOf } from './store.ts'

/** What a customer can do with a message. */
export type Actions = {
  tap: (entry: Entry, choice: string) => void
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
        {entry.from === 'business' && !hasFailed && <Buttons entry={entry} tap={actions.tap} />}
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

type ShownButton = {
  type?: string
  id?: string
  text?: string
  title?: string
  url?: string
  payload?: string
  phoneNumber?: string
}
type Section = { title?: string; rows: { id: string; title: string; description?: string }[] }

const Buttons = ({ entry, tap }: { entry: Entry; tap: Actions['tap'] }) => {
  const {
    buttons = [],
    sections,
    listLabel,
  } = entry.content as {
    buttons?: ShownButton[]
    sections?: Section[]
    listLabel?: string
  }
  if (sections)
    return (
      <details className="buttons">
        <summary>
          <List size={16} aria-hidden />
          {listLabel ?? 'Choose'}
        </summary>
        {sections.map(({ title, rows }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the sections of a message keep their order
          <div key={index} className="buttons">
            {title && <h4 className="text-soft text-small">{title}</h4>}
            {rows.map((row) => (
              <button key={row.id} type="button" className="choice" onClick={() => tap(entry, row.id)}>
                <b>{row.title}</b>
                {row.description && <small>{row.description}</small>}
              </button>
            ))}
          </div>
        ))}
      </details>
    )
  if (buttons.length === 0) return null
  return (
    <div className="buttons">
      {buttons.map((button, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the buttons of a message keep their order
        <MessageButton key={index} button={button} onTap={(choice) => tap(entry, choice)} />
      ))}
    </div>
  )
}

const MessageButton = ({ button, onTap }: { button: ShownButton; onTap: (choice: string) => void }) => {
  const label = button.text ?? button.title ?? ''
  if (button.url && /^https?:/.test(button.url))
    return (
      <a href={button.url} title={button.url} {...OUTSIDE}>
        <ExternalLink size={16} aria-hidden />
        {label}
      </a>
    )
  const isTap = button.type === 'QUICK_REPLY' || (button.id !== undefined && !button.url)
  const isCopy = button.type === 'COPY_CODE'
  const Icon = isCopy ? Copy : button.phoneNumber ? Phone : Reply
  return (
    <button
      type="button"
      disabled={!isTap && !isCopy}
      onClick={() =>
        isTap ? onTap(button.id ?? label) : void navigator.clipboard?.writeText(button.payload ?? '')
      }
    >
      <Icon size={16} aria-hidden />
      {label}
    </button>
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
