// node sandbox/main.ts: runs the sandbox until it is stopped and prints where it is as one line of JSON.
import { parseArgs } from 'node:util'
import { Value } from 'typebox/value'
import { type Connections, ConnectionsPatch } from './people-control.ts'
import { DEFAULT_NUMBER } from './samples.ts'
import { startSandbox } from './sandbox.ts'

const USAGE = `usage: node sandbox/main.ts [--port 0] [--host 127.0.0.1] [--webhook URL]
  [--app-secret TEXT] [--verify-token TEXT] [--access-token TEXT]
  [--phone-number-id ID] [--business-account-id ID] [--display-phone-number +...]
  [--latency-ms 0] [--messages-per-second 80|0] [--window-refused-by answer|status]
  [--webhook-time clock|real] [--no-customers] [--smtp-port 0] [--connections JSON]`

/** As PATCH /control/connections takes them. */
const readConnections = (text: string): Connections => {
  const given: unknown = JSON.parse(text)
  if (!Value.Check(ConnectionsPatch, given)) throw new Error('--connections is not as README.md says')
  return given
}

const read = () => {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '0' },
      host: { type: 'string', default: '127.0.0.1' },
      webhook: { type: 'string' },
      'app-secret': { type: 'string' },
      'verify-token': { type: 'string' },
      'access-token': { type: 'string' },
      'phone-number-id': { type: 'string', default: DEFAULT_NUMBER.id },
      'business-account-id': { type: 'string', default: DEFAULT_NUMBER.businessAccountId },
      'display-phone-number': { type: 'string', default: DEFAULT_NUMBER.displayPhoneNumber },
      'latency-ms': { type: 'string', default: '0' },
      'messages-per-second': { type: 'string', default: '80' },
      'window-refused-by': { type: 'string', default: 'status' },
      'webhook-time': { type: 'string', default: 'clock' },
      'no-customers': { type: 'boolean', default: false },
      'smtp-port': { type: 'string' },
      connections: { type: 'string' },
    },
  })
  const whole = (name: 'port' | 'latency-ms' | 'messages-per-second' | 'smtp-port'): number => {
    const value = Number(values[name])
    if (!Number.isInteger(value) || value < 0) throw new Error(`--${name} must be a whole number`)
    return value
  }
  const windowRefusedBy = values['window-refused-by']
  if (windowRefusedBy !== 'answer' && windowRefusedBy !== 'status')
    throw new Error('--window-refused-by must be answer or status')
  const webhookTime = values['webhook-time']
  if (webhookTime !== 'clock' && webhookTime !== 'real')
    throw new Error('--webhook-time must be clock or real')
  if (values.webhook && !URL.canParse(values.webhook)) throw new Error('--webhook must be an address')
  return {
    port: whole('port'),
    host: values.host,
    webhookUrl: values.webhook ?? null,
    ...(values['app-secret'] && { appSecret: values['app-secret'] }),
    ...(values['verify-token'] && { verifyToken: values['verify-token'] }),
    ...(values['access-token'] && { accessToken: values['access-token'] }),
    numbers: [
      {
        ...DEFAULT_NUMBER,
        id: values['phone-number-id'],
        businessAccountId: values['business-account-id'],
        displayPhoneNumber: values['display-phone-number'],
      },
    ],
    latencyMs: whole('latency-ms'),
    messagesPerSecond: whole('messages-per-second') || null,
    refusedBy: { '131047': windowRefusedBy } as const,
    webhookTime: webhookTime as 'clock' | 'real',
    customers: !values['no-customers'],
    ...(values['smtp-port'] !== undefined && { smtpPort: whole('smtp-port') }),
    ...(values.connections !== undefined && { connections: readConnections(values.connections) }),
  }
}

const options = (() => {
  try {
    return read()
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n${USAGE}\n`)
    process.exit(2)
  }
})()

try {
  const sandbox = await startSandbox(options)
  process.stdout.write(
    `${JSON.stringify({ url: sandbox.url, page: `${sandbox.url}/sandbox/`, smtpUrl: sandbox.smtpUrl })}\n`,
  )
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void sandbox.stop().then(() => process.exit(0)))
} catch (error) {
  process.stderr.write(`The sandbox cannot start: ${error instanceof Error ? error.message : error}\n`)
  process.exit(1)
}
