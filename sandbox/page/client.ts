// Calls the sandbox's controls, relative to this page's URL. The types are the sandbox's own.
import type { Control } from '../control.ts'
import type { App, Entry as StoredEntry } from '../entry.ts'
import type { Failure } from '../failures.ts'
import type { ShownModel } from '../model/model.ts'
import type { PeopleControl } from '../people-control.ts'
import type { ShownReceiver } from '../receiver/receiver.ts'

export type Json = Record<string, unknown>
export type { Fault } from '../whatsapp/faults.ts'
export type { App, Failure, ShownModel, ShownReceiver }
// biome-ignore lint/suspicious/noExplicitAny: it differs by type; each type is checked where it is shown
export type Entry = Omit<StoredEntry, 'content'> & { content: any }
export type Person = ReturnType<PeopleControl['person']>
export type Mail = ReturnType<PeopleControl['mails']>[number]
export type Customer = ReturnType<Control['customer']>
export type State = ReturnType<Control['state']> & { people: Person[]; failures: Failure[] }

const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
  const response = await fetch(`./control${path}`, {
    method,
    headers: body === undefined ? {} : { 'content-type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
  const answer = await response.json().catch(() => ({}))
  if (!response.ok)
    throw new Error(answer.error?.message ?? answer.error ?? `The sandbox returned ${response.status}.`)
  return answer
}

/** The path of a person's thread in an app. */
const threadOf = ({ id, whatsappId }: Person, app: App): string =>
  app === 'whatsapp' ? `/customers/${encodeURIComponent(whatsappId!)}` : `/people/${id}/chats/${app}`
const messagesOf = (person: Person, app: App): string =>
  threadOf(person, app) + (app === 'whatsapp' ? '/messages' : '')

export const getState = (): Promise<State> => call('GET', '/state')
export const changeCustomer = (id: string, patch: Json) =>
  call('PATCH', `/customers/${encodeURIComponent(id)}`, patch)
export const addPerson = async (input: Json): Promise<Person> =>
  (await call<{ person: Person }>('POST', '/people', input)).person
export const blockIn = (id: string, blocked: App[]) => call('PATCH', `/people/${id}`, { blocked })

export const getThread = async (person: Person, app: App): Promise<Entry[]> =>
  (await call<{ messages: Entry[] }>('GET', messagesOf(person, app))).messages
export const write = (person: Person, app: App, input: Json) => call('POST', messagesOf(person, app), input)
export const read = (person: Person, app: App, phoneNumberId: string) =>
  call('POST', `${threadOf(person, app)}/read`, app === 'whatsapp' ? { phoneNumberId } : {})
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
export const getModel = (): Promise<ShownModel> => call('GET', '/model')
export const setBrain = (brain: string | null) => call('PATCH', '/model', { brain })
export const answerAsModel = (id: string, answer: Json) =>
  call('POST', `/model/waiting/${encodeURIComponent(id)}`, answer)
export const addModelFault = (kind: string) => call('POST', '/model/faults', { kind })
export const removeModelFault = (id: string) => call('DELETE', `/model/faults/${id}`)
export const getReceiver = (): Promise<ShownReceiver> => call('GET', '/receiver')
export const setReceiverSecret = (secret: string | null) => call('PATCH', '/receiver', { secret })
export const clearReceiver = () => call('DELETE', '/receiver')
export const addReceiverFault = (kind: string, times: number) =>
  call('POST', '/receiver/faults', { kind, times })
export const removeReceiverFault = (id: string) => call('DELETE', `/receiver/faults/${id}`)
export const mediaUrl = (id: string): string => `./control/media/${encodeURIComponent(id)}`
export const openFeed = (): EventSource => new EventSource('./control/feed')

/** A file in the form that the controls accept. */
export const fileOf = async (file: File) => {
  const bytes = new Uint8Array(await file.arrayBuffer())
  let text = ''
  for (let from = 0; from < bytes.length; from += 0x8000)
    text += String.fromCharCode(...bytes.subarray(from, from + 0x8000))
  return { data: btoa(text), mimeType: file.type || 'application/octet-stream', fileName: file.name }
}
