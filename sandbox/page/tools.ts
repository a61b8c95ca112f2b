// Beside the phone: what goes wrong next, the time, who this customer is, and what happened.
import { APPS } from './apps.ts'
import {
  type App,
  addFailure,
  addFault,
  advance,
  blockIn,
  type Customer,
  changeCustomer,
  type Failure,
  type Fault,
  type Person,
  removeFailure,
  removeFault,
} from './control-client.ts'
import { element, icon } from './element.ts'
import { nameOfFault, REASONS } from './reasons.ts'
import { byWhatsapp, findPerson, now, store } from './store.ts'

export type Ask = (work: () => Promise<unknown>) => void

export const makeTools = (ask: Ask, close: () => void) => {
  const choice = element('select', { id: 'reason' })
  const forThisOne = element('input', { type: 'checkbox', id: 'for-this-one', checked: true })
  const faultList = element('ul', { class: 'faults' })
  const clock = element('p', { class: 'clock' })
  const meter = element('div', { class: 'meter' }, element('span'))
  const windowText = element('p', { class: 'window-text' })
  const switches = element('div', { class: 'switches' })
  const log = element('ol', {
    class: 'log',
    'aria-live': 'polite',
    tabindex: 0,
    'aria-label': 'What happened',
  })
  const failHead = element('h3', {}, 'Make the next message fail')
  let shown: { app: App; person: Person } | undefined

  const arm = (): void => {
    if (!shown) return
    const { app, person } = shown
    const { fault } = REASONS[app][Number(choice.value)]!
    const isForThisOne = forThisOne.checked
    if (app === 'whatsapp')
      ask(() => addFault({ ...fault, ...(isForThisOne && person.whatsappId && { to: person.whatsappId }) }))
    else ask(() => addFailure({ ...fault, app, ...(isForThisOne && { personId: person.id }) }))
  }

  const panel = element(
    'aside',
    { class: 'tools', 'aria-label': 'Tools' },
    element(
      'header',
      {},
      element('h2', {}, 'Behind the scenes'),
      element(
        'button',
        { type: 'button', class: 'plain close', 'aria-label': 'Close tools', on: { click: close } },
        icon('close'),
      ),
    ),
    element(
      'section',
      {},
      failHead,
      element('label', { class: 'hidden', for: 'reason' }, 'What goes wrong'),
      choice,
      element(
        'div',
        { class: 'arm' },
        element('label', { class: 'check' }, forThisOne, element('span', {}, 'Only for this customer')),
        element('button', { type: 'button', class: 'action', on: { click: arm } }, 'Let it fail'),
      ),
      faultList,
    ),
    element(
      'section',
      {},
      element('h3', {}, 'Time'),
      windowText,
      meter,
      element(
        'div',
        { class: 'pair' },
        element(
          'button',
          { type: 'button', class: 'action quiet', on: { click: () => ask(() => advance(1)) } },
          'An hour later',
        ),
        element(
          'button',
          { type: 'button', class: 'action quiet', on: { click: () => ask(() => advance(24)) } },
          'Let a day pass',
        ),
      ),
      clock,
    ),
    element('section', {}, element('h3', {}, 'This customer'), switches),
    element('section', { class: 'grow' }, element('h3', {}, 'What happened'), log),
  )

  const toggle = (label: string, isOn: boolean, change: (isOn: boolean) => Promise<unknown>): HTMLElement => {
    const box = element('input', { type: 'checkbox', role: 'switch' })
    box.checked = isOn
    box.addEventListener('change', () => ask(() => change(box.checked)))
    return element('label', { class: 'switch' }, element('span', {}, label), box)
  }

  const whatsappSwitches = (customer: Customer): HTMLElement[] => {
    const set = (patch: Record<string, unknown>) => changeCustomer(customer.id, patch)
    const receipts = element(
      'select',
      { 'aria-label': 'Read receipts' },
      ...(
        [
          ['opened', 'when the chat is open'],
          ['auto', 'by itself, a little later'],
          ['off', 'never'],
        ] as const
      ).map(([value, says]) => element('option', { value, selected: customer.receipts === value }, says)),
    )
    receipts.addEventListener('change', () => ask(() => set({ receipts: receipts.value })))
    return [
      toggle('Is on WhatsApp', customer.isOnWhatsApp, (isOnWhatsApp) => set({ isOnWhatsApp })),
      toggle('Has blocked the business', customer.hasBlocked, (hasBlocked) => set({ hasBlocked })),
      toggle('Wants no marketing', customer.hasOptedOut, (hasOptedOut) => set({ hasOptedOut })),
      element('label', { class: 'switch' }, element('span', {}, 'Reads'), receipts),
    ]
  }

  const otherSwitches = ({ id, blocked }: Person, app: App): HTMLElement[] =>
    app === 'mail'
      ? []
      : [
          toggle('Has blocked the business', blocked.includes(app), (isOn) =>
            blockIn(id, isOn ? [...blocked, app] : blocked.filter((one) => one !== app)),
          ),
        ]

  const faultRow = (says: string, whom: string, left: number | null, remove: () => Promise<unknown>) =>
    element(
      'li',
      {},
      element(
        'span',
        {},
        says,
        element('small', {}, ` · ${whom}`, left !== null && left > 1 && ` · ${left} times`),
      ),
      element(
        'button',
        { type: 'button', class: 'plain', 'aria-label': 'Take this back', on: { click: () => ask(remove) } },
        icon('close'),
      ),
    )

  const showFaults = (): void => {
    const whatsapp = (store.state?.faults ?? []).map((fault: Fault) =>
      faultRow(
        nameOfFault('whatsapp', fault),
        fault.to ? (byWhatsapp(fault.to)?.name ?? fault.to) : 'anybody',
        fault.left,
        () => removeFault(fault.id),
      ),
    )
    const others = (store.state?.failures ?? []).map((failure: Failure) =>
      faultRow(
        `${APPS[failure.app].name}: ${nameOfFault(failure.app, failure)}`,
        failure.personId ? (findPerson(failure.personId)?.name ?? 'somebody') : 'anybody',
        failure.left,
        () => removeFailure(failure.id),
      ),
    )
    faultList.replaceChildren(...whatsapp, ...others)
  }

  const showWindow = (customer: Customer | undefined): void => {
    const isWhatsapp = shown?.app === 'whatsapp'
    windowText.hidden = !isWhatsapp
    meter.hidden = !isWhatsapp
    if (!isWhatsapp) return
    const window = customer?.windows.find(({ phoneNumberId }) => phoneNumberId === store.numberId)
    const endsAtMs = window?.endsAtMs ?? null
    const leftMs = endsAtMs === null ? 0 : Math.max(0, endsAtMs - now())
    meter.style.setProperty('--left', String(Math.min(1, leftMs / 86_400_000)))
    meter.classList.toggle('closed', leftMs === 0)
    windowText.textContent =
      endsAtMs === null
        ? 'This customer has not written yet: the business may send templates only.'
        : leftMs === 0
          ? 'The reply window is closed: the business may send templates only.'
          : `The reply window is open for another ${spanOf(leftMs)}.`
  }

  return {
    panel,
    showFaults,
    /** The clock, and how long WhatsApp's window stays open. */
    showTime: (customer: Customer | undefined): void => {
      showWindow(customer)
      const aheadMs = (store.state?.aheadHours ?? 0) * 3_600_000
      clock.textContent =
        aheadMs > 0
          ? `The sandbox’s clock is ${spanOf(aheadMs)} ahead: ${new Date(now()).toLocaleString(undefined, { weekday: 'short', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' })}.`
          : 'Everything that was said becomes that much older.'
    },
    showPerson: (person: Person | undefined, app: App, customer: Customer | undefined): void => {
      const isAnother = shown?.app !== app
      shown = person && { app, person }
      failHead.textContent = `Make the next ${app === 'mail' ? 'mail' : `${APPS[app].name} message`} fail`
      if (isAnother || choice.children.length === 0)
        choice.replaceChildren(...REASONS[app].map(({ says }, at) => element('option', { value: at }, says)))
      const list = !person
        ? [element('p', { class: 'small' }, 'Choose a customer.')]
        : app === 'whatsapp' && customer
          ? whatsappSwitches(customer)
          : otherSwitches(person, app)
      switches.replaceChildren(...list)
      switches.parentElement!.hidden = list.length === 0
    },
    tell: (text: string, kind: 'good' | 'bad' | 'plain' = 'plain') => {
      log.prepend(
        element(
          'li',
          { class: kind },
          element(
            'time',
            {},
            new Date().toLocaleTimeString(undefined, {
              hour: '2-digit',
              minute: '2-digit',
              second: '2-digit',
            }),
          ),
          element('span', {}, text),
        ),
      )
      while (log.children.length > LOG_MAX) log.lastElementChild!.remove()
    },
  }
}

const LOG_MAX = 60

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
