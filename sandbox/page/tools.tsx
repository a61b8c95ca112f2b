// The tools next to the phone: simulated failures, the clock, this customer's settings and the activity log.
import { X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button, IconButton } from '../../console/ui/button.tsx'
import { Checkbox, Select, Switch } from '../../console/ui/field.tsx'
import { Section } from '../../console/ui/page.tsx'
import { toastError } from '../../console/ui/toast.tsx'
import { APPS } from './apps.ts'
import {
  type App,
  addFailure,
  addFault,
  advance,
  blockIn,
  type Customer,
  changeCustomer,
  type Json,
  type Person,
  removeFailure,
  removeFault,
} from './client.ts'
import { ModelTools } from './model-tools.tsx'
import { nameOfFault, REASONS } from './reasons.ts'
import { ReceiverTools } from './receiver-tools.tsx'
import { byWhatsapp, customerOf, findPerson, now, update, useStore } from './store.ts'

const DAY_MS = 86_400_000
const TIME_SHOWN_EVERY_MS = 30_000

export const Tools = () => {
  const { app, personId, screen } = useStore()
  const person = findPerson(personId)
  const customer = customerOf(person)
  return (
    <aside className="tools" aria-label="Tools">
      <header className="row row--between">
        <h2>Behind the scenes</h2>
        <IconButton
          icon={X}
          label="Close tools"
          className="close"
          onClick={() => update({ areToolsOpen: false })}
        />
      </header>
      {screen === 'model' ? (
        <ModelTools />
      ) : screen === 'receiver' ? (
        <ReceiverTools />
      ) : (
        <Section title={`Simulate a failure in ${APPS[app].name}`}>
          <NextFailure key={app} app={app} person={person} />
          <Armed />
        </Section>
      )}
      <Section title="Time">
        {app === 'whatsapp' && screen === 'phone' && <ReplyWindow customer={customer} />}
        <div className="row">
          <Button isWide onClick={() => advance(1).catch(toastError)}>
            +1 hour
          </Button>
          <Button isWide onClick={() => advance(24).catch(toastError)}>
            +1 day
          </Button>
        </div>
        <ClockLine />
      </Section>
      {person && app === 'whatsapp' && customer && <WhatsappSwitches customer={customer} />}
      {person && app !== 'whatsapp' && app !== 'mail' && <BlockSwitch person={person} app={app} />}
      <Section title="Activity">
        <ActivityLog />
      </Section>
    </aside>
  )
}

const NextFailure = ({ app, person }: { app: App; person: Person | undefined }) => {
  const [chosen, setChosen] = useState('0')
  const [isForThisOne, setForThisOne] = useState(true)
  const arm = (): void => {
    const { fault } = REASONS[app][Number(chosen)]!
    const adding =
      app === 'whatsapp'
        ? addFault({ ...fault, ...(isForThisOne && person?.whatsappId && { to: person.whatsappId }) })
        : addFailure({ ...fault, app, ...(isForThisOne && person && { personId: person.id }) })
    adding.catch(toastError)
  }
  return (
    <>
      <Select
        label="Failure"
        isLabelHidden
        value={chosen}
        options={REASONS[app].map(({ label }, index) => ({ value: String(index), label }))}
        onChange={({ target }) => setChosen(target.value)}
      />
      <div className="row row--between row--wrap">
        <Checkbox
          label="This customer only"
          checked={isForThisOne}
          onChange={({ target }) => setForThisOne(target.checked)}
        />
        <Button variant="primary" onClick={arm}>
          Fail next message
        </Button>
      </div>
    </>
  )
}

/** The pending failures. */
const Armed = () => {
  const { state } = useStore()
  const faults = (state?.faults ?? []).map((fault) => ({
    ...fault,
    reason: nameOfFault('whatsapp', fault),
    customer: fault.to ? (byWhatsapp(fault.to)?.name ?? fault.to) : 'anyone',
    remove: removeFault,
  }))
  const failures = (state?.failures ?? []).map((failure) => ({
    ...failure,
    reason: `${APPS[failure.app].name}: ${nameOfFault(failure.app, failure)}`,
    customer: failure.personId ? (findPerson(failure.personId)?.name ?? 'someone') : 'anyone',
    remove: removeFailure,
  }))
  const all = [...faults, ...failures]
  if (all.length === 0) return null
  return (
    <ul className="stack stack--tight faults">
      {all.map(({ id, reason, customer, left, remove }) => (
        <li key={id} className="banner banner--danger">
          <span className="grow">
            {reason} · {customer}
            {left !== null && left > 1 && ` · ${left} times`}
          </span>
          <IconButton icon={X} size="small" label="Remove" onClick={() => remove(id).catch(toastError)} />
        </li>
      ))}
    </ul>
  )
}

const useTicking = (): void => {
  const [, setTick] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setTick((tick) => tick + 1), TIME_SHOWN_EVERY_MS)
    return () => clearInterval(timer)
  }, [])
}

const ReplyWindow = ({ customer }: { customer: Customer | undefined }) => {
  const { numberId } = useStore()
  useTicking()
  const endsAtMs = customer?.windows.find(({ phoneNumberId }) => phoneNumberId === numberId)?.endsAtMs ?? null
  const leftMs = endsAtMs === null ? 0 : Math.max(0, endsAtMs - now())
  return (
    <>
      <p>
        {endsAtMs === null
          ? 'This customer hasn’t written yet. The business can only send templates.'
          : leftMs === 0
            ? 'The reply window is closed. The business can only send templates.'
            : `The reply window is open for another ${spanOf(leftMs)}.`}
      </p>
      <meter className="meter" aria-label="Reply window" max={DAY_MS} value={leftMs} />
    </>
  )
}

const ClockLine = () => {
  const { state } = useStore()
  useTicking()
  const aheadMs = (state?.aheadHours ?? 0) * 3_600_000
  const time = new Date(now()).toLocaleString(undefined, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
  })
  return (
    <p className="text-soft text-small">
      {aheadMs > 0
        ? `The sandbox’s clock is ${spanOf(aheadMs)} ahead: ${time}.`
        : 'Makes every message that much older.'}{' '}
      Reports keep counting by the real day.
    </p>
  )
}

const RECEIPTS = [
  { value: 'opened', label: 'When the chat is open' },
  { value: 'auto', label: 'Automatically' },
  { value: 'off', label: 'Never' },
]

const WhatsappSwitches = ({ customer }: { customer: Customer }) => {
  const set = (patch: Json): void => void changeCustomer(customer.id, patch).catch(toastError)
  return (
    <Section title="This customer">
      <Switch
        label="On WhatsApp"
        checked={customer.isOnWhatsApp}
        onChange={({ target }) => set({ isOnWhatsApp: target.checked })}
      />
      <Switch
        label="Blocked the business"
        checked={customer.hasBlocked}
        onChange={({ target }) => set({ hasBlocked: target.checked })}
      />
      <Switch
        label="Opted out of marketing"
        checked={customer.hasOptedOut}
        onChange={({ target }) => set({ hasOptedOut: target.checked })}
      />
      <Select
        label="Read receipts"
        value={customer.receipts}
        options={RECEIPTS}
        onChange={({ target }) => set({ receipts: target.value })}
      />
    </Section>
  )
}

const BlockSwitch = ({ person: { id, blocked }, app }: { person: Person; app: App }) => (
  <Section title="This customer">
    <Switch
      label="Blocked the business"
      checked={blocked.includes(app)}
      onChange={({ target }) =>
        void blockIn(id, target.checked ? [...blocked, app] : blocked.filter((one) => one !== app)).catch(
          toastError,
        )
      }
    />
  </Section>
)

const ActivityLog = () => {
  const { activity } = useStore()
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <ol className="log" aria-live="polite" aria-label="Activity" tabIndex={0}>
      {activity.length === 0 && <li className="text-soft">No activity yet.</li>}
      {activity.map(({ id, at, text, isBad }) => (
        <li key={id}>
          <time className="text-soft numeric">{at.toLocaleTimeString(undefined, { hour12: false })}</time>
          <span className={isBad ? 'text-danger' : undefined}>{text}</span>
        </li>
      ))}
    </ol>
  )
}

const spanOf = (ms: number): string => {
  const minutes = Math.max(1, Math.round(ms / 60_000))
  const days = minutes < 2880 ? 0 : Math.floor(minutes / 1440)
  const hours = Math.floor((minutes - days * 1440) / 60)
  const parts = [
    days > 0 && `${days} days`,
    hours > 0 && `${hours} h`,
    days === 0 && minutes % 60 > 0 && `${minutes % 60} min`,
  ]
  return parts.filter(Boolean).join(' ')
}
