// Beside the phone: what goes wrong next, the time, who this customer is, and what happened.
import {
  addFault,
  advance,
  type Customer,
  changeCustomer,
  type Fault,
  removeFault,
  type State,
} from './control-client.ts'
import { element, icon } from './element.ts'

type Reason = { says: string; fault: Record<string, unknown> }

/** In the order in which people meet them. */
const REASONS: Reason[] = [
  { says: 'Refused: something went wrong (131000)', fault: { kind: 'error', code: 131000 } },
  { says: 'Refused: the window is closed (131047)', fault: { kind: 'error', code: 131047 } },
  { says: 'Refused: too many messages at once (130429)', fault: { kind: 'error', code: 130429 } },
  { says: 'Refused: this person was written to too often (131056)', fault: { kind: 'error', code: 131056 } },
  { says: 'Refused: the access token is no longer valid (190)', fault: { kind: 'error', code: 190 } },
  { says: 'Refused: the template does not exist (132001)', fault: { kind: 'error', code: 132001 } },
  { says: 'Fails later: not on WhatsApp (131026)', fault: { kind: 'fail', code: 131026 } },
  { says: 'Fails later: withheld by WhatsApp (131049)', fault: { kind: 'fail', code: 131049 } },
  { says: 'Fails later: the picture cannot be fetched (131053)', fault: { kind: 'fail', code: 131053 } },
  { says: 'The connection breaks, the message arrives', fault: { kind: 'drop', isAccepted: true } },
  { says: 'The connection breaks, nothing arrives', fault: { kind: 'drop' } },
  { says: 'No answer ever comes, the message arrives', fault: { kind: 'hang', isAccepted: true } },
  { says: 'A server error without words (502)', fault: { kind: 'server-error', http: 502 } },
  { says: 'The status comes before the answer', fault: { kind: 'status-first' } },
  { says: '“Delivered” is skipped', fault: { kind: 'skip-delivered' } },
]

const nameOf = (fault: Fault): string =>
  REASONS.find(
    ({ fault: { kind, code, isAccepted } }) =>
      kind === fault.kind && code === fault.code && (isAccepted ?? false) === (fault.isAccepted ?? false),
  )?.says ?? [fault.kind, fault.code].filter((part) => part !== undefined).join(' ')

export type Ask = (work: () => Promise<unknown>) => void

export const makeTools = (ask: Ask, close: () => void) => {
  const choice = element(
    'select',
    { id: 'reason' },
    ...REASONS.map(({ says }, at) => element('option', { value: at }, says)),
  )
  const forThisOne = element('input', { type: 'checkbox', id: 'for-this-one', checked: true })
  const faultList = element('ul', { class: 'faults' })
  const clock = element('p', { class: 'clock' })
  const meter = element('div', { class: 'meter' }, element('span'))
  const windowText = element('p', { class: 'window-text' })
  const switches = element('div', { class: 'switches' })
  const log = element('ol', { class: 'log', 'aria-live': 'polite' })
  let shown: Customer | undefined

  const arm = (): void => {
    const { fault } = REASONS[Number(choice.value)]!
    const to = forThisOne.checked && shown ? shown.id : undefined
    ask(() => addFault({ ...fault, ...(to && { to }) }))
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
      element('h3', {}, 'Make the next message fail'),
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

  const toggle = (
    label: string,
    isOn: boolean,
    patch: (isOn: boolean) => Record<string, unknown>,
  ): HTMLElement => {
    const box = element('input', { type: 'checkbox', role: 'switch' })
    box.checked = isOn
    box.addEventListener('change', () => {
      const { id } = shown!
      ask(() => changeCustomer(id, patch(box.checked)))
    })
    return element('label', { class: 'switch' }, element('span', {}, label), box)
  }

  const showCustomer = (customer: Customer): void => {
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
    receipts.addEventListener('change', () => {
      const { value } = receipts
      ask(() => changeCustomer(customer.id, { receipts: value }))
    })
    switches.replaceChildren(
      toggle('Is on WhatsApp', customer.isOnWhatsApp, (isOnWhatsApp) => ({ isOnWhatsApp })),
      toggle('Has blocked the business', customer.hasBlocked, (hasBlocked) => ({ hasBlocked })),
      toggle('Wants no marketing', customer.hasOptedOut, (hasOptedOut) => ({ hasOptedOut })),
      element('label', { class: 'switch' }, element('span', {}, 'Reads'), receipts),
    )
  }

  return {
    panel,
    showFaults: (faults: Fault[], customers: Customer[], nameOfCustomer: (customer: Customer) => string) =>
      faultList.replaceChildren(
        ...faults.map((fault) => {
          const customer = customers.find(({ id }) => id === fault.to)
          const forWhom = fault.to ? ` · ${customer ? nameOfCustomer(customer) : fault.to}` : ' · anybody'
          return element(
            'li',
            {},
            element(
              'span',
              {},
              nameOf(fault),
              element(
                'small',
                {},
                forWhom,
                fault.left !== null && fault.left > 1 && ` · ${fault.left} times`,
              ),
            ),
            element(
              'button',
              {
                type: 'button',
                class: 'plain',
                'aria-label': 'Take this back',
                on: { click: () => ask(() => removeFault(fault.id)) },
              },
              icon('close'),
            ),
          )
        }),
      ),
    showCustomer: (customer: Customer | undefined) => {
      shown = customer
      if (customer) showCustomer(customer)
      else switches.replaceChildren(element('p', { class: 'small' }, 'Choose a customer.'))
    },
    showTime: ({ aheadHours }: Pick<State, 'aheadHours'>, nowMs: number, endsAtMs: number | null) => {
      const leftMs = endsAtMs === null ? 0 : Math.max(0, endsAtMs - nowMs)
      const share = Math.min(1, leftMs / 86_400_000)
      meter.style.setProperty('--left', String(share))
      meter.classList.toggle('closed', leftMs === 0)
      windowText.textContent =
        endsAtMs === null
          ? 'This customer has not written yet: the business may send templates only.'
          : leftMs === 0
            ? 'The reply window is closed: the business may send templates only.'
            : `The reply window is open for another ${spanOf(leftMs)}.`
      clock.textContent =
        aheadHours > 0
          ? `The sandbox’s clock is ${spanOf(aheadHours * 3_600_000)} ahead: ${new Date(nowMs).toLocaleString(undefined, { weekday: 'short', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' })}.`
          : 'The sandbox’s clock is right.'
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
