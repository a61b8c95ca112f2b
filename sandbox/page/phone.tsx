// The selected person's phone: its header, the open app, and the dock with the others.
import { ArrowLeft, BadgeCheck, SlidersHorizontal } from 'lucide-react'
import { Count } from '../../console/ui/badge.tsx'
import { IconButton } from '../../console/ui/button.tsx'
import { Select } from '../../console/ui/field.tsx'
import { APPS } from './apps.ts'
import { Chat } from './chat.tsx'
import type { App } from './client.ts'
import { Mailbox } from './mailbox.tsx'
import { chooseNumber, findPerson, openApp, update, useStore } from './store.ts'

export const Phone = () => {
  const { app, personId, state, numberId } = useStore()
  const person = findPerson(personId)
  const numbers = state?.numbers ?? []
  const business = numbers.find(({ id }) => id === numberId)?.verifiedName ?? 'Business'
  return (
    <main className="phone" data-app={app}>
      <header>
        <IconButton
          icon={ArrowLeft}
          label="All customers"
          className="back"
          onClick={() => update({ personId: null })}
        />
        <div className="stack stack--tight grow">
          {/* The only heading on a narrow screen, where the list is hidden. */}
          <h1 className="hidden-visually">{person ? `${person.name}’s phone` : 'A customer’s phone'}</h1>
          <b className="row">
            {app === 'mail' ? 'Mail' : business}
            {app === 'whatsapp' && <BadgeCheck size={17} role="img" aria-label="Verified business" />}
          </b>
          <small className="truncate" dir="auto">
            {!person
              ? 'No customer selected'
              : app === 'mail'
                ? person.email
                : `${APPS[app].name} on ${person.name}’s phone`}
          </small>
        </div>
        {app === 'whatsapp' && numbers.length > 1 && (
          <Select
            label="Business number"
            isLabelHidden
            value={numberId}
            options={numbers.map(({ id, displayPhoneNumber }) => ({ value: id, label: displayPhoneNumber }))}
            onChange={({ target }) => chooseNumber(target.value)}
          />
        )}
        <IconButton
          icon={SlidersHorizontal}
          label="Tools"
          className="open-tools"
          onClick={() => update({ areToolsOpen: true })}
        />
      </header>
      {!person ? (
        <div className="messages" />
      ) : app === 'mail' ? (
        <Mailbox key={person.id} person={person} />
      ) : (
        <Chat key={`${person.id} ${app}`} person={person} app={app} />
      )}
      <nav className="dock" aria-label="Apps">
        {(Object.keys(APPS) as App[]).map((one) => {
          const there = person?.apps[one]
          const { name, icon: Icon } = APPS[one]
          return (
            there && (
              <button
                key={one}
                type="button"
                className={`app-${one}`}
                data-app={one}
                aria-current={one === app}
                onClick={() => openApp(one)}
              >
                <span className="glyph">
                  <Icon size={20} aria-hidden />
                </span>
                {name}
                {there.unread > 0 && <Count value={there.unread} label={`${there.unread} unread`} />}
              </button>
            )
          )
        })}
      </nav>
    </main>
  )
}
