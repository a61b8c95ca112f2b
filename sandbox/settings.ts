// Everything that can be set when the sandbox starts, and most of it while it runs.
import Type, { type Static } from 'typebox'

const Ms = Type.Integer({ minimum: 0, maximum: 7 * 86_400_000 })
const nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()])
/** How a refusal is told: in the answer to the call, or by a failed status after a 200. */
const RefusedBy = Type.Union([Type.Literal('answer'), Type.Literal('status')])

export const Settings = Type.Object({
  webhookUrl: nullable(Type.String({ maxLength: 2000 })),
  appSecret: Type.String({ minLength: 1 }),
  verifyToken: Type.String({ minLength: 1 }),
  accessToken: Type.String({ minLength: 1 }),
  /** How long the Graph API takes to answer a send. */
  latencyMs: Ms,
  /** After acceptance, after sent, after delivered. `readMs` null: only when the customer reads. */
  statusDelays: Type.Object({ sentMs: Ms, deliveredMs: Ms, readMs: nullable(Ms) }),
  refusedBy: Type.Object({ '131026': RefusedBy, '131047': RefusedBy, '131050': RefusedBy }),
  enforceWindow: Type.Boolean(),
  /** One message in six seconds to one person, 45 at once at most. */
  enforcePairRate: Type.Boolean(),
  /** Per sending number; null: no limit. */
  messagesPerSecond: nullable(Type.Integer({ minimum: 1 })),
  /** Numbers that nobody set up as a customer: become one, are delivered to without a thread, or are not on WhatsApp. */
  strangers: Type.Union([Type.Literal('create'), Type.Literal('deliver'), Type.Literal('refuse')]),
  permissions: Type.Object({ messaging: Type.Boolean(), management: Type.Boolean() }),
  /** The most templates that one page holds, whatever `limit` asks for. */
  templatesPerPageMax: Type.Integer({ minimum: 1, maximum: 1000 }),
  /** `clock`: webhooks are dated by the sandbox's clock. `real`: by the machine's, also after a jump. */
  webhookTime: Type.Union([Type.Literal('clock'), Type.Literal('real')]),
  mediaRedirects: Type.Boolean(),
  mediaUrlInWebhooks: Type.Boolean(),
  webhooks: Type.Object({
    concurrency: Type.Integer({ minimum: 1, maximum: 256 }),
    /** The most changes in one request. */
    batchMax: Type.Integer({ minimum: 1, maximum: 1000 }),
    /** Above 0, changes are gathered for so long; at 0 a request takes what has piled up. */
    batchWaitMs: Ms,
    /** Where the changes of a batch go: one entry each, one entry for all, one value for all, or by turns. */
    batchShape: Type.Union([
      Type.Literal('entries'),
      Type.Literal('changes'),
      Type.Literal('values'),
      Type.Literal('mixed'),
    ]),
    /** Above 0, each change waits a random time up to this. */
    shuffleMs: Ms,
    /** How many times each request is sent in all. */
    copies: Type.Integer({ minimum: 1, maximum: 10 }),
    timeoutMs: Type.Integer({ minimum: 1, maximum: 60_000 }),
    retryFirstMs: Type.Integer({ minimum: 1, maximum: 3_600_000 }),
    isPaused: Type.Boolean(),
  }),
})
export type Settings = Static<typeof Settings>

/** What `PATCH /control/settings` takes: any part, groups included. */
export const SettingsPatch = Type.Partial(
  Type.Object(
    {
      ...Settings.properties,
      statusDelays: Type.Partial(Settings.properties.statusDelays, { additionalProperties: false }),
      refusedBy: Type.Partial(Settings.properties.refusedBy, { additionalProperties: false }),
      permissions: Type.Partial(Settings.properties.permissions, { additionalProperties: false }),
      webhooks: Type.Partial(Settings.properties.webhooks, { additionalProperties: false }),
    },
    { additionalProperties: false },
  ),
  { additionalProperties: false },
)
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
  mediaUrlInWebhooks: true,
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
