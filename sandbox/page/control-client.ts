// The sandbox's controls, relative to where this page is served.

export type Json = Record<string, unknown>

export type App = 'whatsapp' | 'mail' | 'telegram' | 'messenger' | 'sms'

export type Entry = {
  id: string
  from: 'customer' | 'business'
  phoneNumberId: string
  atMs: number
  type: string
  // The shapes are the sandbox's own and differ by type; each is read where it is shown.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  content: any
  replyTo: string | null
  status: 'accepted' | 'sent' | 'delivered' | 'read' | 'failed' | null
  error: { code: number | string; title: string } | null
  reactions: { customer?: string; business?: string }
  isReadByBusiness: boolean
}

export type Mail = {
  id: string
  direction: 'received' | 'written'
  atMs: number
  from: string
  to: string
  subject: string
  text: string
  /** Whether there is HTML to show. */
  html: boolean
  attachments: { name: string; mimeType: string; size: number }[]
  isRead: boolean
  isTaken: boolean | null
  isBounce: boolean
}

export type Person = {
  id: string
  name: string
  phone: string | null
  email: string | null
  username: string | null
  whatsappId: string | null
  blocked: App[]
  apps: { [A in App]?: { unread: number; last: (A extends 'mail' ? Mail : Entry) | null } }
}

/** Somebody as WhatsApp knows them. */
export type Customer = {
  id: string
  isOnWhatsApp: boolean
  hasBlocked: boolean
  hasOptedOut: boolean
  receipts: 'auto' | 'opened' | 'off'
  windows: { phoneNumberId: string; endsAtMs: number | null; isOpen: boolean }[]
}

export type Fault = {
  id: string
  kind: string
  code?: number
  to?: string
  left: number | null
  isAccepted?: boolean
}

export type Failure = {
  id: string
  app: App
  kind: string
  code?: number
  personId?: string
  left: number
  isAccepted?: boolean
}

export type State = {
  nowMs: number
  aheadHours: number
  numbers: { id: string; displayPhoneNumber: string; verifiedName: string }[]
  customers: Customer[]
  people: Person[]
  faults: Fault[]
  failures: Failure[]
}

const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
  const response = await fetch(`./control${path}`, {
    method,
    headers: body === undefined ? {} : { 'content-type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
  const answer = await response.json().catch(() => ({}))
  if (!response.ok) throw new Error(answer.error?.message ?? answer.error ?? `Answered ${response.status}.`)
  return answer
}

const at = (customerId: string): string => `/customers/${encodeURIComponent(customerId)}`

export const getState = (): Promise<State> => call('GET', '/state')
export const getCustomer = async (id: string): Promise<Customer> =>
  (await call<{ customer: Customer }>('GET', at(id))).customer
export const changeCustomer = (id: string, patch: Json) => call('PATCH', at(id), patch)

export const getPerson = async (id: string): Promise<Person> =>
  (await call<{ person: Person }>('GET', `/people/${id}`)).person
export const addPerson = async (input: Json): Promise<Person> =>
  (await call<{ person: Person }>('POST', '/people', input)).person
export const blockIn = (id: string, blocked: App[]) => call('PATCH', `/people/${id}`, { blocked })

/** The thread of a person in an app that has threads. */
export const getThread = async ({ id, whatsappId }: Person, app: App): Promise<Entry[]> => {
  const path = app === 'whatsapp' ? `${at(whatsappId!)}/messages` : `/people/${id}/chats/${app}`
  return (await call<{ messages: Entry[] }>('GET', path)).messages
}
export const write = ({ id, whatsappId }: Person, app: App, input: Json) =>
  call('POST', app === 'whatsapp' ? `${at(whatsappId!)}/messages` : `/people/${id}/chats/${app}`, input)
export const read = ({ id, whatsappId }: Person, app: App, phoneNumberId: string) =>
  app === 'whatsapp'
    ? call('POST', `${at(whatsappId!)}/read`, { phoneNumberId })
    : call('POST', `/people/${id}/chats/${app}/read`, {})
export const edit = ({ id }: Person, entryId: string, text: string) =>
  call('PATCH', `/people/${id}/chats/telegram/${encodeURIComponent(entryId)}`, { text })

export const getMails = async (personId: string): Promise<Mail[]> =>
  (await call<{ mails: Mail[] }>('GET', `/people/${personId}/mails`)).mails
export const writeMail = (personId: string, input: Json) => call('POST', `/people/${personId}/mails`, input)
export const readMail = (id: string) => call('POST', `/mails/${id}/read`, {})
export const mailHtmlUrl = (id: string): string => `./control/mails/${id}/html`
export const mailPartUrl = (id: string, part: number): string => `./control/mails/${id}/attachments/${part}`

export const advance = (hours: number) => call('POST', '/advance', { hours })
export const addFault = (input: Json) => call('POST', '/faults', input)
export const removeFault = (id: string) => call('DELETE', `/faults/${id}`)
export const addFailure = (input: Json) => call('POST', '/failures', input)
export const removeFailure = (id: string) => call('DELETE', `/failures/${id}`)
export const mediaUrl = (id: string): string => `./control/media/${encodeURIComponent(id)}`
export const openFeed = (): EventSource => new EventSource('./control/feed')

export const base64Of = async (file: File): Promise<string> => {
  const bytes = new Uint8Array(await file.arrayBuffer())
  let text = ''
  for (let from = 0; from < bytes.length; from += 0x8000)
    text += String.fromCharCode(...bytes.subarray(from, from + 0x8000))
  return btoa(text)
}
