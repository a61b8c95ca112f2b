// The sandbox's controls, relative to where this page is served.

export type Json = Record<string, unknown>

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
  error: { code: number; title: string } | null
  reactions: { customer?: string; business?: string }
  isReadByBusiness: boolean
}

export type Customer = {
  id: string
  waId: string | null
  userId: string
  username: string | null
  profileName: string | null
  isOnWhatsApp: boolean
  hasBlocked: boolean
  hasOptedOut: boolean
  receipts: 'auto' | 'opened' | 'off'
  unread: number
  lastEntry: Entry | null
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

export type State = {
  nowMs: number
  aheadHours: number
  numbers: { id: string; displayPhoneNumber: string; verifiedName: string }[]
  customers: Customer[]
  faults: Fault[]
  errorCodes: { code: number; title: string }[]
}

const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
  const response = await fetch(`./control${path}`, {
    method,
    headers: body === undefined ? {} : { 'content-type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
  const answer = await response.json()
  if (!response.ok) throw new Error(answer.error ?? `The sandbox answered ${response.status}.`)
  return answer
}

const at = (customerId: string): string => `/customers/${encodeURIComponent(customerId)}`

export const getState = (): Promise<State> => call('GET', '/state')
export const getCustomer = async (id: string): Promise<Customer> =>
  (await call<{ customer: Customer }>('GET', at(id))).customer
export const getThread = async (id: string): Promise<Entry[]> =>
  (await call<{ messages: Entry[] }>('GET', `${at(id)}/messages`)).messages
export const addCustomer = async (input: Json): Promise<Customer> =>
  (await call<{ customer: Customer }>('POST', '/customers', input)).customer
export const changeCustomer = (id: string, patch: Json) => call('PATCH', at(id), patch)
export const write = (id: string, input: Json) => call('POST', `${at(id)}/messages`, input)
export const read = (id: string, phoneNumberId: string) => call('POST', `${at(id)}/read`, { phoneNumberId })
export const advance = (hours: number) => call('POST', '/advance', { hours })
export const addFault = (input: Json) => call('POST', '/faults', input)
export const removeFault = (id: string) => call('DELETE', `/faults/${id}`)
export const mediaUrl = (id: string): string => `./control/media/${encodeURIComponent(id)}`
export const openFeed = (): EventSource => new EventSource('./control/feed')
