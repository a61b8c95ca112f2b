// node sandbox/main.ts: runs the sandbox until it is stopped and prints its URLs as one line of JSON.
import { parseArgs } from 'node:util'
import type { Static, TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { ConnectionsPatch } from './people-control.ts'
import { DEFAULT_NUMBER } from './samples.ts'
import { type SandboxOptions, startSandbox } from './sandbox.ts'
import { SettingsPatch } from './settings.ts'

const USAGE = `usage: node sandbox/main.ts [--port 0] [--host 127.0.0.1] [--webhook URL]
  [--app-secret TEXT] [--verify-token TEXT] [--access-token TEXT]
  [--phone-number-id ID] [--business-account-id ID] [--display-phone-number +...]
  [--latency-ms 0] [--messages-per-second 80|0] [--window-refused-by answer|status]
  [--webhook-time clock|real] [--no-customers] [--smtp-port 0] [--connections JSON]`

const read = (): SandboxOptions => {
  const text = { type: 'string' } as const
  const { values } = parseArgs({
    options: {
      port: { ...text, default: '0' },
      host: { ...text, default: '127.0.0.1' },
      webhook: text,
      'app-secret': text,
      'verify-token': text,
      'access-token': text,
      'phone-number-id': { ...text, default: DEFAULT_NUMBER.id },
      'business-account-id': { ...text, default: DEFAULT_NUMBER.businessAccountId },
      'display-phone-number': { ...text, default: DEFAULT_NUMBER.displayPhoneNumber },
      'latency-ms': { ...text, default: '0' },
      'messages-per-second': { ...text, default: '80' },
      'window-refused-by': { ...text, default: 'status' },
      'webhook-time': { ...text, default: 'clock' },
      'no-customers': { type: 'boolean', default: false },
      'smtp-port': text,
      connections: { ...text, default: '{}' },
    },
  })
  const whole = (name: 'port' | 'smtp-port', value: string): number => {
    if (!/^\d{1,5}$/.test(value)) throw new Error(`--${name} must be a port number`)
    return Number(value)
  }
  /** Validates as the controls do; the error names the option. */
  const checked = <T extends TSchema>(option: string, schema: T, given: unknown): Static<T> => {
    if (!Value.Check(schema, given)) throw new Error(`--${option} is not valid`)
    return given
  }
  const setting = (option: string, patch: Record<string, unknown>): SettingsPatch =>
    checked(option, SettingsPatch, patch)
  if (values.webhook && !URL.canParse(values.webhook)) throw new Error('--webhook must be a URL')
  return {
    ...setting('latency-ms', { latencyMs: Number(values['latency-ms']) }),
    ...setting('messages-per-second', { messagesPerSecond: Number(values['messages-per-second']) || null }),
    ...setting('window-refused-by', { refusedBy: { '131047': values['window-refused-by'] } }),
    ...setting('webhook-time', { webhookTime: values['webhook-time'] }),
    ...(values['app-secret'] && { appSecret: values['app-secret'] }),
    ...(values['verify-token'] && { verifyToken: values['verify-token'] }),
    ...(values['access-token'] && { accessToken: values['access-token'] }),
    port: whole('port', values.port),
    host: values.host,
    webhookUrl: values.webhook ?? null,
    numbers: [
      {
        ...DEFAULT_NUMBER,
        id: values['phone-number-id'],
        businessAccountId: values['business-account-id'],
        displayPhoneNumber: values['display-phone-number'],
      },
    ],
    customers: !values['no-customers'],
    smtpPort: values['smtp-port'] === undefined ? null : whole('smtp-port', values['smtp-port']),
    connections: checked('connections', ConnectionsPatch, JSON.parse(values.connections)),
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
