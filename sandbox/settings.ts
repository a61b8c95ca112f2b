// Settings of the sandbox at startup; most can be changed while it runs.
import Type, { type Static } from 'typebox'
import { nullable } from './shapes.ts'

const Ms = Type.Integer({ minimum: 0, maximum: 7 * 86_400_000 })
/** How an error is reported: in the response, or by a failed status after a 200. */
const RefusedBy = Type.Enum(['answer', 'status'])

export const Settings = Type.Object({
  webhookUrl: nullable(Type.String({ maxLength: 2000 })),
  appSecret: Type.String({ minLength: 1 }),
  verifyToken: Type.String({ minLength: 1 }),
  accessToken: Type.String({ minLength: 1 }),
  /** How long the Graph API takes to respond to a send. */
  latencyMs: Ms,
  /** After acceptance, after sent, after delivered. `readMs` null: only when the customer opens the thread. */
  statusDelays: Type.Object({ sentMs: Ms, deliveredMs: Ms, readMs: nullable(Ms) }),
  refusedBy: Type.Object({ '131026': RefusedBy, '131047': RefusedBy, '131050': RefusedBy }),
  enforceWindow: Type.Boolean(),
  /** Limits a number to one message per six seconds to the same person, with bursts of up to 45. */
  enforcePairRate: Type.Boolean(),
  /** Per sending number; null: no limit. */
  messagesPerSecond: nullable(Type.Integer({ minimum: 1 })),
  /** Numbers without a customer: create one, deliver without a thread, or treat them as not on WhatsApp. */
  strangers: Type.Enum(['create', 'deliver', 'refuse']),
  permissions: Type.Object({ messaging: Type.Boolean(), management: Type.Boolean() }),
  /** The maximum number of templates on a page, whatever `limit` asks for. */
  templatesPerPageMax: Type.Integer({ minimum: 1, maximum: 1000 }),
  /** Which clock dates webhooks: `clock` is the sandbox's, `real` the machine's even after a jump. */
  webhookTime: Type.Enum(['clock', 'real']),
  mediaRedirects: Type.Boolean(),
  webhooks: Type.Object({
    concurrency: Type.Integer({ minimum: 1, maximum: 256 }),
    /** The maximum number of changes in one request. */
    batchMax: Type.Integer({ minimum: 1, maximum: 1000 }),
    /** Above 0, changes are collected for this long; at 0 a request takes whatever is queued. */
    batchWaitMs: Ms,
    /** How a batch is laid out: one entry per change, one entry for all, one value for all, or alternating. */
    batchShape: Type.Enum(['entries', 'changes', 'values', 'mixed']),
    /** Above 0, each change waits a random time up to this. */
    shuffleMs: Ms,
    /** How many times each request is sent in total. */
    copies: Type.Integer({ minimum: 1, maximum: 10 }),
    timeoutMs: Type.Integer({ minimum: 1, maximum: 60_000 }),
    retryFirstMs: Type.Integer({ minimum: 1, maximum: 3_600_000 }),
    isPaused: Type.Boolean(),
  }),
})
export type Settings = Static<typeof Settings>

const part = <P extends Type.TProperties>(properties: P) =>
  Type.Partial(Type.Object(properties), { additionalProperties: false })

/** The body of `PATCH /control/settings`: any subset, nested groups included. */
export const SettingsPatch = part({
  ...Settings.properties,
  statusDelays: part(Settings.properties.statusDelays.properties),
  refusedBy: part(Settings.properties.refusedBy.properties),
  permissions: part(Settings.properties.permissions.properties),
  webhooks: part(Settings.properties.webhooks.properties),
})
export type SettingsPatch = Static<typeof SettingsPatch>

export const defaultSettings = (): Settings => ({
  webhookUrl: null,
  appSecret: 'sandbox-app-secret',
  verifyToken: 'sandbox-verify-token',
  accessToken: 'sandbox-access-token',
  latencyMs: 0,
  statusDelays: { sentMs: 50, deliveredMs: 200, readMs: 1500 },
  refusedBy: { '131026': 'status', '131047': 'status', '131050': 'status' },
  enforceWindow: true,
  enforcePairRate: true,
  messagesPerSecond: 80,
  strangers: 'create',
  permissions: { messaging: true, management: true },
  templatesPerPageMax: 100,
  webhookTime: 'clock',
  mediaRedirects: false,
  webhooks: {
    concurrency: 8,
    batchMax: 50,
    batchWaitMs: 0,
    batchShape: 'changes',
    shuffleMs: 0,
    copies: 1,
    timeoutMs: 20_000,
    retryFirstMs: 1000,
    isPaused: false,
  },
})

export const applySettings = (settings: Settings, patch: SettingsPatch): void => {
  const { statusDelays, refusedBy, permissions, webhooks, ...plain } = patch
  Object.assign(settings, plain)
  Object.assign(settings.statusDelays, statusDelays)
  Object.assign(settings.refusedBy, refusedBy)
  Object.assign(settings.permissions, permissions)
  Object.assign(settings.webhooks, webhooks)
}
