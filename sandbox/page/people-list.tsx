// The list of people, with the latest message in any of their apps.
import { Bot, Plus, Webhook } from 'lucide-react'
import { Avatar, Count } from '../../console/ui/badge.tsx'
import { IconButton } from '../../console/ui/button.tsx'
import { APPS } from './apps.ts'
import { brainName } from './brains.ts'
import type { App, Entry, Mail, Person } from './client.ts'
import { previewOf } from './content.tsx'
import { byLatest, choosePerson, lastOf, openScreen, shortTimeOf, useStore } from './store.ts'

export const PeopleList = ({ onNew }: { onNew: () => void }) => {
  const { personId } = useStore()
  return (
    <nav className="people" aria-label="Customers">
      <header className="row row--between row--top">
        <div>
          <h1>Sandbox</h1>
          <p className="text-soft">You’re the customer. Pick a phone.</p>
        </div>
        <IconButton icon={Plus} label="New customer" onClick={onNew} />
      </header>
      <ul className="chats">
        <li>
          <ModelRow />
        </li>
        <li>
          <ReceiverRow />
        </li>
        {byLatest().map((person) => (
          <li key={person.id}>
            <Row person={person} isCurrent={person.id === personId} />
          </li>
        ))}
      </ul>
    </nav>
  )
}

const ModelRow = () => {
  const { model, screen } = useStore()
  const count = model?.waiting.length ?? 0
  return (
    <button
      type="button"
      className="chat"
      aria-current={screen === 'model'}
      onClick={() => openScreen('model')}
    >
      <span className="glyph glyph--model">
        <Bot size={20} aria-hidden />
      </span>
      <span className="chat__lines">
        <b className="truncate">Language model</b>
        <span className="truncate text-soft text-small">
          {count > 0 ? 'Waiting for your answer' : brainName(model?.brain ?? null)}
        </span>
      </span>
      <span className="chat__aside">{count > 0 && <Count value={count} label={`${count} waiting`} />}</span>
    </button>
  )
}

const ReceiverRow = () => {
  const { receiver, screen } = useStore()
  const [latest] = receiver?.received ?? []
  return (
    <button
      type="button"
      className="chat"
      aria-current={screen === 'receiver'}
      onClick={() => openScreen('receiver')}
    >
      <span className="glyph glyph--receiver">
        <Webhook size={20} aria-hidden />
      </span>
      <span className="chat__lines">
        <b className="truncate">Webhook receiver</b>
        <span className="truncate text-soft text-small">
          {latest ? (latest.event.type ?? 'A request without an event') : 'No webhooks yet'}
        </span>
      </span>
      <span className="chat__aside">
        {latest && <time className="numeric">{shortTimeOf(latest.atMs)}</time>}
      </span>
    </button>
  )
}

const Row = ({ person, isCurrent }: { person: Person; isCurrent: boolean }) => {
  const { phone, email, username, name, id } = person
  const latest = lastOf(person)
  const unread = Object.values(person.apps).reduce((sum, app) => sum + app.unread, 0)
  const app = latest && APPS[latest.app]
  return (
    <button
      type="button"
      className="chat"
      aria-current={isCurrent}
      data-person={id}
      onClick={() => choosePerson(person)}
    >
      <Avatar name={name} seed={id} />
      <span className="chat__lines">
        <b className="truncate" dir="auto">
          {name}
        </b>
        <span className="truncate text-soft text-small" dir="auto">
          {latest ? lineOf(latest.app, latest.last) : (phone ?? email ?? (username && `@${username}`))}
        </span>
      </span>
      <span className="chat__aside">
        {latest && <time className="numeric">{shortTimeOf(latest.last.atMs)}</time>}
        {unread > 0 ? (
          <Count value={unread} label={`${unread} unread`} />
        ) : (
          app && (
            <span className={`glyph app-${latest.app}`}>
              <app.icon size={12} role="img" aria-label={app.name} />
            </span>
          )
        )}
      </span>
    </button>
  )
}

const lineOf = (app: App, last: Entry | Mail): string => {
  if (app === 'mail') {
    const { direction, subject, text } = last as Mail
    return `${direction === 'written' ? 'You: ' : ''}${subject || text.slice(0, 80)}`
  }
  const entry = last as Entry
  const prefix = entry.from === 'customer' ? 'You: ' : entry.status === 'failed' ? 'Not delivered: ' : ''
  return prefix + previewOf(entry)
}
