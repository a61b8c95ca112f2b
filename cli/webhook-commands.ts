// Webhooks: the endpoints of a workspace, what was sent to them, and sending it again. What is given is checked as the
// API checks it.
import type { Static, TSchema } from 'typebox'
import type { Ctx } from '../server/platform/ctx/ctx.ts'
import { type Command, type Flag, type Given, required, UsageError, WORKSPACE } from './command.ts'
import { withOutbound } from './with-outbound.ts'

const HEADERS_BYTES_MAX = 20_000

const SETTINGS: Record<string, Flag> = {
  name: { value: 'NAME' },
  'event-types': { value: 'TYPE,TYPE' },
  filter: { value: 'JSON' },
  payload: { value: 'thin|full' },
  ordering: { value: 'conversation|none|strict' },
  'max-in-flight': { value: 'COUNT' },
  'headers-stdin': { value: null },
}

type Work = (ctx: Ctx, given: Given) => Promise<unknown>

const webhookCommand = (
  verb: string,
  about: string,
  given: Pick<Command, 'operand' | 'flags'>,
  work: Work,
): Command => ({
  words: `webhook ${verb}`,
  about,
  ...given,
  flags: { workspace: WORKSPACE, ...given.flags },
  run: (given, settings) => withOutbound(given, settings(), (ctx) => work(ctx, given)),
})

const ENDPOINT = { operand: 'ENDPOINT' }
const DELIVERY = { operand: 'DELIVERY' }

const endpointCommands: Command[] = [
  webhookCommand('list', 'List the webhook endpoints with their health.', {}, async (ctx) => {
    const { listEndpoints } = await import('../server/domain/webhooks/get-endpoints.ts')
    return listEndpoints(ctx)
  }),
  webhookCommand(
    'create',
    'Send events from now on to a URL. The secret is shown only once. With --headers-stdin, headers are read from standard input, one “Name: value” a line.',
    { flags: { url: required('URL'), ...SETTINGS, 'external-ref': { value: 'TEXT' } } },
    async (ctx, given) => {
      const { createEndpoint } = await import('../server/domain/webhooks/create-endpoint.ts')
      const { NewWebhookEndpoint } = await import('../server/domain/webhooks/schema.ts')
      return createEndpoint(ctx, await checked(NewWebhookEndpoint, await readSettings(given)))
    },
  ),
  webhookCommand(
    'update',
    'Change what is given. --event-types all: every type, future ones too. A new host needs the headers again.',
    { ...ENDPOINT, flags: { url: { value: 'URL' }, ...SETTINGS } },
    async (ctx, given) => {
      const { updateEndpoint } = await import('../server/domain/webhooks/update-endpoint.ts')
      const { WebhookEndpointChanges } = await import('../server/domain/webhooks/schema.ts')
      const settings = await readSettings(given)
      if (Object.keys(settings).length === 0) throw new UsageError('Give a setting to change.')
      return updateEndpoint(ctx, given.operand, await checked(WebhookEndpointChanges, settings))
    },
  ),
  webhookCommand(
    'enable',
    'Send events again, with those since it was paused or disabled or without them.',
    { ...ENDPOINT, flags: { backlog: required('send|skip') } },
    async (ctx, { operand, flag }) => {
      const { enableEndpoint } = await import('../server/domain/webhooks/enable-endpoint.ts')
      const { EnableBody } = await import('../server/domain/webhooks/schema.ts')
      return enableEndpoint(ctx, operand, await checked(EnableBody, { backlog: flag('backlog') }))
    },
  ),
  webhookCommand('pause', 'Keep events, and send none until it is enabled.', ENDPOINT, async (ctx, given) => {
    const { pauseEndpoint } = await import('../server/domain/webhooks/stop-endpoint.ts')
    return pauseEndpoint(ctx, given.operand)
  }),
  webhookCommand('disable', 'Send nothing, and keep no new events.', ENDPOINT, async (ctx, given) => {
    const { disableEndpoint } = await import('../server/domain/webhooks/stop-endpoint.ts')
    return disableEndpoint(ctx, given.operand)
  }),
  webhookCommand(
    'rotate',
    'Replace the signing secret. The old one signs for another 24 hours as well, or the overlap given.',
    { ...ENDPOINT, flags: { overlap: { value: 'HOURS' } } },
    async (ctx, { operand, flags }) => {
      const { rotateSecret } = await import('../server/domain/webhooks/rotate-secret.ts')
      const { RotateBody } = await import('../server/domain/webhooks/schema.ts')
      const body = flags.overlap === undefined ? {} : { overlapHours: numberOf(flags.overlap) }
      return rotateSecret(ctx, operand, await checked(RotateBody, body))
    },
  ),
  webhookCommand('delete', 'Delete an endpoint and its log.', ENDPOINT, async (ctx, given) => {
    const { deleteEndpoint } = await import('../server/domain/webhooks/delete-endpoint.ts')
    return deleteEndpoint(ctx, given.operand)
  }),
]

const sendingCommands: Command[] = [
  webhookCommand(
    'test',
    'Send a test event now, and show what was signed and what came back.',
    { ...ENDPOINT, flags: { type: { value: 'TYPE' } } },
    async (ctx, { operand, flags: { workspace: _, ...body } }) => {
      const { performTest, prepareTest } = await import('../server/domain/webhooks/test-endpoint.ts')
      const { TestBody } = await import('../server/domain/webhooks/delivery-schema.ts')
      return performTest(ctx, await prepareTest(ctx, operand, await checked(TestBody, body)))
    },
  ),
  webhookCommand(
    'deliveries',
    'List what was or will be sent to an endpoint, newest first.',
    {
      ...ENDPOINT,
      flags: {
        state: { value: 'STATE' },
        type: { value: 'TYPE' },
        'conversation-id': { value: 'ID' },
        after: { value: 'TIME' },
        before: { value: 'TIME' },
        limit: { value: 'COUNT' },
        cursor: { value: 'CURSOR' },
      },
    },
    async (ctx, { operand, flags: { workspace: _, ...query } }) => {
      const { listDeliveries } = await import('../server/domain/webhooks/get-deliveries.ts')
      const { DeliveryQuery } = await import('../server/domain/webhooks/delivery-schema.ts')
      return listDeliveries(ctx, operand, await checked(DeliveryQuery, { ...query }, 'querystring'))
    },
  ),
  webhookCommand(
    'delivery',
    'Show a delivery with its attempts and the bytes that were signed.',
    DELIVERY,
    async (ctx, given) => {
      const { getDelivery } = await import('../server/domain/webhooks/get-deliveries.ts')
      return getDelivery(ctx, given.operand)
    },
  ),
  webhookCommand(
    'replay',
    'Send events of the feed again, from a time or a number on.',
    {
      ...ENDPOINT,
      flags: {
        from: required('TIME|NUMBER'),
        to: { value: 'TIME|NUMBER' },
        types: { value: 'TYPE,TYPE' },
        state: { value: 'failed|all' },
      },
    },
    async (ctx, { operand, flag, flags: { to, types, state } }) => {
      const { replayEvents } = await import('../server/domain/webhooks/replay-events.ts')
      const { ReplayBody } = await import('../server/domain/webhooks/delivery-schema.ts')
      const body = {
        from: numberOf(flag('from')),
        ...(to !== undefined && { to: numberOf(flag('to')) }),
        ...(types !== undefined && { types: flag('types').split(',') }),
        ...(state !== undefined && { state }),
      }
      return replayEvents(ctx, operand, await checked(ReplayBody, body))
    },
  ),
  webhookCommand(
    'retry',
    'Send one delivery again, whether it was delivered, failed or still waits.',
    DELIVERY,
    async (ctx, given) => {
      const { retryDelivery } = await import('../server/domain/webhooks/retry-delivery.ts')
      return retryDelivery(ctx, given.operand)
    },
  ),
]

export const webhookCommands: Command[] = [...endpointCommands, ...sendingCommands]

/** Throws VALIDATION_ERROR. */
const checked = async <T extends TSchema>(
  schema: T,
  value: unknown,
  httpPart: 'body' | 'querystring' = 'body',
): Promise<Static<T>> => {
  const { compileValidator } = await import('../server/platform/http/validation.ts')
  const { error } = compileValidator({ schema, httpPart, method: 'POST', url: '' })(value) as {
    error?: Error
  }
  if (error) throw error
  return value as Static<T>
}

/** What isn't a number stays as it is, and is refused with the field's name. */
const numberOf = (given: string | string[]): unknown =>
  typeof given === 'string' && /^\d{1,15}$/.test(given) ? Number(given) : given

const readSettings = async ({ flags, flag }: Given): Promise<Record<string, unknown>> => {
  const { workspace: _, headersStdin, ...texts } = flags
  return {
    ...texts,
    ...(texts.eventTypes !== undefined && {
      eventTypes: texts.eventTypes === 'all' ? null : flag('eventTypes').split(','),
    }),
    ...(texts.filter !== undefined && { filter: readFilter(flag('filter')) }),
    ...(texts.maxInFlight !== undefined && { maxInFlight: numberOf(texts.maxInFlight) }),
    ...(headersStdin !== undefined && { headers: await readHeaderLines() }),
  }
}

const readFilter = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new UsageError('--filter must be JSON, such as {"channels": ["whatsapp"]}.')
  }
}

/** Their values are secrets, which don't belong in a list of processes. */
const readHeaderLines = async (): Promise<{ name: string; value: string }[]> => {
  let text = ''
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    text += chunk
    if (text.length > HEADERS_BYTES_MAX) throw new UsageError('Standard input is too long to be headers.')
  }
  return text
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, name, value] = /^([^:]+):\s*(.*)$/.exec(line) ?? []
      if (name === undefined || value === undefined)
        throw new UsageError('Standard input must have headers, one “Name: value” a line.')
      return { name: name.trim(), value: value.trim() }
    })
}
