// The controls over HTTP. README.md lists them.
import type { IncomingMessage, ServerResponse } from 'node:http'
import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import {
  type Control,
  ControlError,
  CustomerInput,
  CustomerPatch,
  FaultInput,
  NumberInput,
  SettingsPatch,
  TemplateInput,
  WebhookInput,
  WriteInput,
} from './control.ts'
import { FailureInput } from './failures.ts'
import type { Feed } from './feed.ts'
import { answerJson, BodyTooLarge, readBody } from './http.ts'
import { showMailHtml } from './mail/show-html.ts'
import {
  ChatWriteInput,
  ConnectionsPatch,
  MailWriteInput,
  type PeopleControl,
  PersonInput,
  PersonPatch,
} from './people-control.ts'

/** Pictures and documents come as base64. */
const BODY_MAX_BYTES = 32 * 1024 * 1024
const SENT_PER_CALL_MAX = 10_000

type Call = {
  control: Control & PeopleControl
  params: string[]
  query: URLSearchParams
  body: unknown
}
type Route = {
  method: string
  path: RegExp
  body?: ReturnType<typeof Compile>
  work: (call: Call) => unknown
}

const route = (method: string, path: string, work: (call: Call) => unknown): Route => ({
  method,
  path: pathOf(path),
  work,
})

const routeWithBody = <T extends Type.TSchema>(
  method: string,
  path: string,
  schema: T,
  work: (call: Omit<Call, 'body'> & { body: Static<T> }) => unknown,
): Route => ({
  method,
  path: pathOf(path),
  body: Compile(schema),
  // The body was checked against this very schema.
  work: (call) => work(call as typeof call & { body: Static<T> }),
})

const pathOf = (path: string): RegExp => new RegExp(`^/control${path.replaceAll(/:\w+/g, '([^/]+)')}$`)
const success = (_: unknown): { success: true } => ({ success: true })
const optional = (query: URLSearchParams, name: string): string | undefined => query.get(name) ?? undefined
const Empty = Type.Object({}, { additionalProperties: false })

const ROUTES: Route[] = [
  route('GET', '/state', ({ control }) => ({
    ...control.state(),
    people: control.people(),
    failures: control.failures(),
  })),
  route('GET', '/settings', ({ control }) => control.settings()),
  routeWithBody('PATCH', '/settings', SettingsPatch, ({ control, body }) => {
    control.set(body)
    return control.settings()
  }),
  routeWithBody('POST', '/numbers', NumberInput, ({ control, body }) => control.addNumber(body)),
  routeWithBody('POST', '/advance', Type.Object({ hours: Type.Number() }), async ({ control, body }) => {
    await control.advance(body.hours)
    const { nowMs, aheadHours } = control.state()
    return { nowMs, aheadHours }
  }),

  route('GET', '/customers', ({ control }) => ({ customers: control.customers() })),
  routeWithBody('POST', '/customers', CustomerInput, ({ control, body }) => ({
    customer: control.addCustomer(body),
  })),
  route('GET', '/customers/:id', ({ control, params }) => ({ customer: control.customer(params[0]!) })),
  routeWithBody('PATCH', '/customers/:id', CustomerPatch, ({ control, params, body }) => ({
    customer: control.changeCustomer(params[0]!, body),
  })),
  route('DELETE', '/customers/:id', ({ control, params }) => success(control.removeCustomer(params[0]!))),
  route('GET', '/customers/:id/messages', ({ control, params }) => ({
    messages: control.thread(params[0]!),
  })),
  routeWithBody('POST', '/customers/:id/messages', WriteInput, ({ control, params, body }) => ({
    message: control.write(params[0]!, body),
  })),
  routeWithBody(
    'POST',
    '/customers/:id/read',
    Type.Object({ phoneNumberId: Type.Optional(Type.String()) }),
    ({ control, params, body }) => ({ read: control.read(params[0]!, body.phoneNumberId) }),
  ),
  routeWithBody(
    'POST',
    '/customers/:id/number',
    Type.Object({ phone: Type.String({ pattern: '^\\+?[\\d\\s().-]{7,25}$' }) }),
    ({ control, params, body }) => ({ customer: control.changeNumber(params[0]!, body.phone) }),
  ),
  routeWithBody(
    'POST',
    '/customers/:id/echo',
    Type.Object({ text: Type.String({ minLength: 1 }), phoneNumberId: Type.Optional(Type.String()) }),
    ({ control, params, body }) => ({ id: control.echo(params[0]!, body.text, body.phoneNumberId) }),
  ),

  route('GET', '/faults', ({ control }) => ({ faults: control.faults() })),
  routeWithBody('POST', '/faults', FaultInput, ({ control, body }) => ({ fault: control.addFault(body) })),
  route('DELETE', '/faults', ({ control }) => success(control.clearFaults())),
  route('DELETE', '/faults/:id', ({ control, params }) => success(control.removeFault(params[0]!))),

  route('GET', '/people', ({ control }) => ({ people: control.people() })),
  routeWithBody('POST', '/people', PersonInput, ({ control, body }) => ({ person: control.addPerson(body) })),
  route('GET', '/people/:id', ({ control, params }) => ({ person: control.person(params[0]!) })),
  routeWithBody('PATCH', '/people/:id', PersonPatch, ({ control, params, body }) => ({
    person: control.changePerson(params[0]!, body),
  })),
  route('GET', '/people/:id/chats/:app', ({ control, params }) => ({
    messages: control.chat(params[0]!, params[1]!),
  })),
  routeWithBody('POST', '/people/:id/chats/:app', ChatWriteInput, ({ control, params, body }) => ({
    message: control.writeChat(params[0]!, params[1]!, body),
  })),
  routeWithBody('POST', '/people/:id/chats/:app/read', Empty, ({ control, params }) =>
    success(control.readChat(params[0]!, params[1]!)),
  ),
  routeWithBody(
    'PATCH',
    '/people/:id/chats/telegram/:entry',
    Type.Object({ text: Type.String({ minLength: 1, maxLength: 4096 }) }),
    ({ control, params, body }) => success(control.editChat(params[0]!, params[1]!, body.text)),
  ),
  route('GET', '/people/:id/mails', ({ control, params }) => ({ mails: control.mails(params[0]!) })),
  routeWithBody('POST', '/people/:id/mails', MailWriteInput, async ({ control, params, body }) => ({
    mail: await control.writeMail(params[0]!, body),
  })),
  routeWithBody('POST', '/mails/:id/read', Empty, ({ control, params }) =>
    success(control.readMail(params[0]!)),
  ),

  route('GET', '/failures', ({ control }) => ({ failures: control.failures() })),
  routeWithBody('POST', '/failures', FailureInput, ({ control, body }) => ({
    failure: control.addFailure(body),
  })),
  route('DELETE', '/failures/:id', ({ control, params }) => success(control.removeFailure(params[0]!))),
  routeWithBody('PATCH', '/connections', ConnectionsPatch, ({ control, body }) =>
    success(control.connect(body)),
  ),

  route('GET', '/templates', ({ control, query }) => ({
    templates: control.templates(optional(query, 'businessAccountId')),
  })),
  routeWithBody('POST', '/templates', TemplateInput, ({ control, query, body }) => ({
    template: control.putTemplate(body, optional(query, 'businessAccountId')),
  })),
  route('DELETE', '/templates/:name/:language', ({ control, params, query }) =>
    success(control.removeTemplate(params[0]!, params[1]!, optional(query, 'businessAccountId'))),
  ),

  route('GET', '/sent', ({ control, query }) =>
    control.sent({
      after: Number(query.get('after') ?? 0),
      limit: Math.min(SENT_PER_CALL_MAX, Number(query.get('limit') ?? 1000)),
      to: optional(query, 'to'),
      opaque: optional(query, 'opaque'),
    }),
  ),
  route('DELETE', '/sent', ({ control }) => success(control.clearSent())),
  route('GET', '/duplicates', ({ control }) => ({ duplicates: control.duplicates() })),

  route('GET', '/webhooks', ({ control }) => control.webhooks()),
  routeWithBody('POST', '/webhooks', WebhookInput, ({ control, body }) => success(control.tell(body))),
  routeWithBody('POST', '/handshake', Empty, async ({ control }) => ({
    success: await control.shakeHands(),
  })),
]

export const answerControl = async (
  { control, feed, controlKey }: { control: Control & PeopleControl; feed: Feed; controlKey: string | null },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const [path = '', search] = request.url!.split('?', 2)
  if (isForeign(request)) return answerError(response, 403, 'only pages of the sandbox itself may control it')
  if (controlKey !== null && request.headers['x-sandbox-key'] !== controlKey)
    return answerError(response, 403, 'this sandbox is steered with its key only')
  if (path === '/control/feed') {
    if (!feed.listen(response)) answerError(response, 503, 'too many pages follow the feed')
    return
  }
  const media = /^\/control\/media\/(\d+)$/.exec(path)
  if (media) return showMedia(control, media[1]!, response)

  const mailPart = /^\/control\/mails\/(\d+)\/(html|attachments\/(\d+))$/.exec(path)
  if (mailPart) return showMailPart(control, mailPart, response)

  const onPath = ROUTES.filter((one) => one.path.test(path))
  const found = onPath.find(({ method }) => method === request.method)
  if (!found) return answerError(response, onPath.length > 0 ? 405 : 404, 'no such control')
  try {
    const params = found.path.exec(path)!.slice(1).map(decodeParam)
    const body = found.body ? await readInput(request, found.body) : undefined
    answerJson(response, 200, await found.work({ control, params, query: new URLSearchParams(search), body }))
  } catch (error) {
    if (error instanceof ControlError) return answerError(response, error.http, error.message)
    if (error instanceof BodyTooLarge) return answerError(response, 413, error.message)
    throw error
  }
}

const decodeParam = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new ControlError('the address is not encoded as addresses are')
  }
}

/** A page of another site that the same browser shows must not steer this one. */
const isForeign = ({ headers }: IncomingMessage): boolean =>
  headers['sec-fetch-site'] !== undefined &&
  !['same-origin', 'none'].includes(String(headers['sec-fetch-site']))

const readInput = async (request: IncomingMessage, schema: ReturnType<typeof Compile>): Promise<unknown> => {
  const raw = await readBody(request, BODY_MAX_BYTES)
  let body: unknown
  try {
    body = raw.length === 0 ? {} : JSON.parse(raw.toString())
  } catch {
    throw new ControlError('the body is no JSON')
  }
  if (schema.Check(body)) return body
  const [error] = schema.Errors(body)
  throw new ControlError(`${error?.instancePath || 'the body'} ${error?.message ?? 'is not valid'}`)
}

const showMedia = (control: Control, id: string, response: ServerResponse): void => {
  const file = control.media(id)
  if (!file) {
    answerError(response, 404, 'no such file')
    return
  }
  response.writeHead(200, {
    'content-type': file.mimeType,
    'content-length': file.bytes.length,
    'x-content-type-options': 'nosniff',
    // A document may be HTML: it must not run here.
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    'cache-control': 'private, max-age=3600',
  })
  response.end(file.bytes)
}

const showMailPart = (
  control: PeopleControl,
  [, id, part, at]: RegExpExecArray,
  response: ServerResponse,
): void => {
  let mail: ReturnType<PeopleControl['mail']> | undefined
  try {
    mail = control.mail(id!)
  } catch {
    mail = undefined
  }
  const attachment = mail?.attachments[Number(at)]
  if (mail?.html && part === 'html') showMailHtml(mail, response)
  else if (attachment)
    response
      .writeHead(200, {
        'content-type': 'application/octet-stream',
        'content-length': attachment.bytes.length,
        'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(attachment.name)}`,
        'x-content-type-options': 'nosniff',
      })
      .end(attachment.bytes)
  else answerError(response, 404, 'no such part of a mail')
}

const answerError = (response: ServerResponse, status: number, message: string): void =>
  answerJson(response, status, { error: message })
