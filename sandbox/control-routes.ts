// The controls over HTTP. README.md lists them.
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { type Control, CustomerInput, CustomerPatch, NumberInput, WebhookInput } from './control.ts'
import { FailureInput } from './failures.ts'
import type { Feed } from './feed.ts'
import { type App, ControlError } from './http.ts'
import { ChatInput } from './hub.ts'
import { MailInput } from './mail/mail.ts'
import { showMailHtml } from './mail/show-html.ts'
import { ModelFaultInput } from './model/faults.ts'
import { AnswerInput, BrainPatch, type ModelControl } from './model/model.ts'
import { OidcFaultInput } from './oidc/faults.ts'
import { AccountPatch, type OidcControl } from './oidc/oidc.ts'
import { ConnectionsPatch, type PeopleControl, PersonInput, PersonPatch } from './people-control.ts'
import { ReceiverFaultInput } from './receiver/faults.ts'
import { type ReceiverControl, ReceiverPatch } from './receiver/receiver.ts'
import { SettingsPatch } from './settings.ts'
import { closed, PhoneNumber } from './shapes.ts'
import { WriteInput } from './whatsapp/customer-message.ts'
import { FaultInput } from './whatsapp/faults.ts'
import { TemplateInput } from './whatsapp/template.ts'

/** Images and documents come as base64. */
const BODY_MAX_BYTES = 32 * 1024 * 1024
const SENT_PER_CALL_MAX = 10_000

const done = (_: unknown): { success: true } => ({ success: true })
const Empty = closed({})
const text = Type.String()
const maybe = Type.Optional(text)
const id = { params: Type.Object({ id: text }) }
const chat = { params: Type.Object({ id: text, app: text }) }
const account = { querystring: Type.Object({ businessAccountId: maybe }) }

type Controls = {
  control: Control & PeopleControl & ModelControl & OidcControl & ReceiverControl
  feed: Feed
  controlKey: string | null
}
type Routes = ReturnType<typeof withTypes>
const withTypes = (app: App) => app.withTypeProvider<TypeBoxTypeProvider>()

export const registerControls = (plain: App, controls: Controls): void => {
  const app = withTypes(plain)
  guard(app, controls)
  const { control, feed } = controls
  app.get('/feed', (_request, reply) => {
    if (!feed.listen(reply)) throw new ControlError('Too many pages are open.', 503)
  })
  app.get('/state', () => ({ ...control.state(), people: control.people(), failures: control.failures() }))
  app.get('/settings', () => control.settings())
  app.patch('/settings', { schema: { body: SettingsPatch } }, ({ body }) => {
    control.set(body)
    return control.settings()
  })
  app.post('/numbers', { schema: { body: NumberInput } }, ({ body }) => control.addNumber(body))
  app.post('/advance', { schema: { body: Type.Object({ hours: Type.Number() }) } }, async ({ body }) => {
    await control.advance(body.hours)
    const { nowMs, aheadHours } = control.state()
    return { nowMs, aheadHours }
  })

  for (const register of [
    registerCustomers,
    registerTrouble,
    registerPeople,
    registerMails,
    registerProvider,
    registerModel,
    registerOidc,
    registerReceiver,
  ])
    register(app, control)
}

/** Authentication, the accepted content types and the list of controls. */
const guard = (app: Routes, { controlKey }: Controls): void => {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    '*',
    { parseAs: 'string', bodyLimit: BODY_MAX_BYTES },
    (_request, body, parsed) => {
      try {
        parsed(null, body === '' ? {} : JSON.parse(String(body)))
      } catch {
        parsed(new ControlError('The body isn’t valid JSON.'))
      }
    },
  )
  app.addHook('onRequest', async ({ headers }) => {
    const site = headers['sec-fetch-site']
    // Another site open in the same browser must not control this sandbox.
    if (site !== undefined && site !== 'same-origin' && site !== 'none')
      throw new ControlError('Only the sandbox’s own pages may use its controls.', 403)
    if (controlKey !== null && headers['x-sandbox-key'] !== controlKey)
      throw new ControlError('This sandbox’s controls require its key.', 403)
  })
  app.addHook('preValidation', async (request) => {
    request.body ??= {}
  })
  const paths = new Set<string>()
  app.addHook('onRoute', ({ url }) => {
    paths.add(url)
  })
  app.setNotFoundHandler(({ url }) => {
    const path = url.split('?', 1)[0]!
    const isKnown = [...paths].some((known) =>
      new RegExp(`^${known.replaceAll(/:\w+/g, '[^/]+')}$`).test(path),
    )
    throw new ControlError('Control not found. README.md lists them.', isKnown ? 405 : 404)
  })
}

const registerCustomers = (app: Routes, control: Controls['control']): void => {
  app.get('/customers', () => ({ customers: control.customers() }))
  app.post('/customers', { schema: { body: CustomerInput } }, ({ body }) => ({
    customer: control.addCustomer(body),
  }))
  app.get('/customers/:id', { schema: id }, ({ params }) => ({ customer: control.customer(params.id) }))
  app.patch('/customers/:id', { schema: { ...id, body: CustomerPatch } }, ({ params, body }) => ({
    customer: control.changeCustomer(params.id, body),
  }))
  app.delete('/customers/:id', { schema: id }, ({ params }) => done(control.removeCustomer(params.id)))
  app.get('/customers/:id/messages', { schema: id }, ({ params }) => ({
    messages: control.thread(params.id),
  }))
  app.post('/customers/:id/messages', { schema: { ...id, body: WriteInput } }, ({ params, body }) => ({
    message: control.write(params.id, body),
  }))
  const Read = Type.Object({ phoneNumberId: maybe })
  app.post('/customers/:id/read', { schema: { ...id, body: Read } }, ({ params, body }) => ({
    read: control.read(params.id, body.phoneNumberId),
  }))
  const NewNumber = Type.Object({ phone: PhoneNumber })
  app.post('/customers/:id/number', { schema: { ...id, body: NewNumber } }, ({ params, body }) => ({
    customer: control.changeNumber(params.id, body.phone),
  }))
  const Echo = Type.Object({ text: Type.String({ minLength: 1 }), phoneNumberId: maybe })
  app.post('/customers/:id/echo', { schema: { ...id, body: Echo } }, ({ params, body }) => ({
    id: control.echo(params.id, body.text, body.phoneNumberId),
  }))
}

const registerTrouble = (app: Routes, control: Controls['control']): void => {
  app.get('/faults', () => ({ faults: control.faults() }))
  app.post('/faults', { schema: { body: FaultInput } }, ({ body }) => ({ fault: control.addFault(body) }))
  app.delete('/faults', () => done(control.clearFaults()))
  app.delete('/faults/:id', { schema: id }, ({ params }) => done(control.removeFault(params.id)))
  app.get('/failures', () => ({ failures: control.failures() }))
  app.post('/failures', { schema: { body: FailureInput } }, ({ body }) => ({
    failure: control.addFailure(body),
  }))
  app.delete('/failures/:id', { schema: id }, ({ params }) => done(control.removeFailure(params.id)))
}

const registerPeople = (app: Routes, control: Controls['control']): void => {
  app.get('/people', () => ({ people: control.people() }))
  app.post('/people', { schema: { body: PersonInput } }, ({ body }) => ({ person: control.addPerson(body) }))
  app.get('/people/:id', { schema: id }, ({ params }) => ({ person: control.person(params.id) }))
  app.patch('/people/:id', { schema: { ...id, body: PersonPatch } }, ({ params, body }) => ({
    person: control.changePerson(params.id, body),
  }))
  app.get('/people/:id/chats/:app', { schema: chat }, ({ params }) => ({
    messages: control.chat(params.id, params.app),
  }))
  app.post('/people/:id/chats/:app', { schema: { ...chat, body: ChatInput } }, ({ params, body }) => ({
    message: control.writeChat(params.id, params.app, body),
  }))
  app.post('/people/:id/chats/:app/read', { schema: { ...chat, body: Empty } }, ({ params }) =>
    done(control.readChat(params.id, params.app)),
  )
  const telegram = {
    params: Type.Object({ id: text, entry: text }),
    body: Type.Object({ text: Type.String({ minLength: 1, maxLength: 4096 }) }),
  }
  app.patch('/people/:id/chats/telegram/:entry', { schema: telegram }, ({ params, body }) =>
    done(control.editChat(params.id, params.entry, body.text)),
  )
}

const registerMails = (app: Routes, control: Controls['control']): void => {
  app.get('/people/:id/mails', { schema: id }, ({ params }) => ({ mails: control.mails(params.id) }))
  app.post('/people/:id/mails', { schema: { ...id, body: MailInput } }, async ({ params, body }) => ({
    mail: await control.writeMail(params.id, body),
  }))
  app.post('/mails/:id/read', { schema: { ...id, body: Empty } }, ({ params }) =>
    done(control.readMail(params.id)),
  )
  app.get('/mails/:id/html', { schema: id }, ({ params }, reply) => {
    const mail = control.mail(params.id)
    if (!mail.html) throw new ControlError('This email has no HTML.', 404)
    showMailHtml(mail, reply)
  })
  const part = { params: Type.Object({ id: text, part: text }) }
  app.get('/mails/:id/attachments/:part', { schema: part }, ({ params }, reply) => {
    const attachment = control.mail(params.id).attachments[Number(params.part)]
    if (!attachment) throw new ControlError('Attachment not found.', 404)
    reply
      .type('application/octet-stream')
      .header('content-disposition', `attachment; filename*=UTF-8''${encodeURIComponent(attachment.name)}`)
      .header('x-content-type-options', 'nosniff')
      .send(attachment.bytes)
  })
  app.get('/media/:id', { schema: id }, ({ params }, reply) => {
    const file = control.media(params.id)
    if (!file) throw new ControlError('File not found.', 404)
    reply
      .type(file.mimeType)
      .header('x-content-type-options', 'nosniff')
      // A document may be HTML; it must not run here.
      .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; sandbox")
      .header('cache-control', 'private, max-age=3600')
      .send(file.bytes)
  })
}

/** The business's configuration at its providers, and the traffic between them. */
const registerProvider = (app: Routes, control: Controls['control']): void => {
  app.patch('/connections', { schema: { body: ConnectionsPatch } }, ({ body }) => done(control.connect(body)))

  app.get('/templates', { schema: account }, ({ query }) => ({
    templates: control.templates(query.businessAccountId),
  }))
  app.post('/templates', { schema: { ...account, body: TemplateInput } }, ({ query, body }) => ({
    template: control.putTemplate(body, query.businessAccountId),
  }))
  const template = { ...account, params: Type.Object({ name: text, language: text }) }
  app.delete('/templates/:name/:language', { schema: template }, ({ params, query }) =>
    done(control.removeTemplate(params.name, params.language, query.businessAccountId)),
  )

  const sent = { querystring: Type.Object({ after: maybe, limit: maybe, to: maybe, opaque: maybe }) }
  app.get('/sent', { schema: sent }, ({ query: { after = 0, limit = 1000, ...whose } }) =>
    control.sent({ after: Number(after), limit: Math.min(SENT_PER_CALL_MAX, Number(limit)), ...whose }),
  )
  app.delete('/sent', () => done(control.clearSent()))
  app.get('/duplicates', () => ({ duplicates: control.duplicates() }))
  app.get('/webhooks', () => control.webhooks())
  app.post('/webhooks', { schema: { body: WebhookInput } }, ({ body }) => done(control.sendWebhook(body)))
  app.post('/handshake', { schema: { body: Empty } }, async () => ({ success: await control.shakeHands() }))
}

const registerModel = (app: Routes, control: Controls['control']): void => {
  const answers = { body: closed({ answers: Type.Array(AnswerInput, { maxItems: 1_000 }) }) }
  app.post('/model/answers', { schema: answers }, ({ body }) => done(control.scriptModel(body.answers)))
  app.get('/model/calls', () => ({ calls: control.modelCalls() }))
  app.get('/model/faults', () => ({ faults: control.modelFaults() }))
  app.post('/model/faults', { schema: { body: ModelFaultInput } }, ({ body }) => ({
    fault: control.addModelFault(body),
  }))
  app.get('/model', () => control.model())
  app.patch('/model', { schema: { body: BrainPatch } }, ({ body }) => done(control.setBrain(body.brain)))
  app.post('/model/waiting/:id', { schema: { ...id, body: AnswerInput } }, ({ params, body }) =>
    done(control.answerAsModel(params.id, body)),
  )
  app.delete('/model/faults/:id', { schema: id }, ({ params }) => done(control.removeModelFault(params.id)))
  app.delete('/model', () => done(control.clearModel()))
}

const registerOidc = (app: Routes, control: Controls['control']): void => {
  app.get('/oidc', () => control.oidc())
  app.patch('/oidc/accounts/:id', { schema: { ...id, body: AccountPatch } }, ({ params, body }) =>
    done(control.setOidcAccount(params.id, body)),
  )
  app.post('/oidc/rotate', { schema: { body: Empty } }, () => done(control.rotateOidcKeys()))
  app.get('/oidc/faults', () => ({ faults: control.oidcFaults() }))
  app.post('/oidc/faults', { schema: { body: OidcFaultInput } }, ({ body }) => ({
    fault: control.addOidcFault(body),
  }))
  app.delete('/oidc/faults', () => done(control.clearOidcFaults()))
}

const registerReceiver = (app: Routes, control: Controls['control']): void => {
  app.get('/receiver', () => control.receiver())
  app.patch('/receiver', { schema: { body: ReceiverPatch } }, ({ body }) => done(control.setReceiver(body)))
  app.delete('/receiver', () => done(control.clearReceiver()))
  app.post('/receiver/faults', { schema: { body: ReceiverFaultInput } }, ({ body }) => ({
    fault: control.addReceiverFault(body),
  }))
  app.delete('/receiver/faults/:id', { schema: id }, ({ params }) =>
    done(control.removeReceiverFault(params.id)),
  )
}
