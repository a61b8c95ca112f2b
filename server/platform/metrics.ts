// This process's Prometheus metrics. Labels come from fixed lists and route patterns, never from tenant data.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { VERSION } from './version.ts'

export const registry = new Registry()

const buildInfo = new Gauge({
  name: 'foyer_build_info',
  help: 'Always 1; the labels say which version runs, and on which Node.',
  labelNames: ['version', 'node'] as const,
  registers: [registry],
})
buildInfo.set({ version: VERSION, node: process.versions.node }, 1)

export const requestSeconds = new Histogram({
  name: 'http_request_duration_seconds',
  help: 'Time from the request to the end of the response, by route pattern.',
  labelNames: ['method', 'route', 'status'] as const,
  buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  registers: [registry],
})

export const requestsShed = new Counter({
  name: 'foyer_requests_shed_total',
  help: 'Requests rejected immediately because their workspace is waiting for the database.',
  registers: [registry],
})

export const replicaReads = new Counter({
  name: 'foyer_replica_reads_total',
  help: 'Reads that the replica may answer, by the place that answered, and for the primary by reason: unusable, behind, busy (no free connection), failed.',
  labelNames: ['place', 'reason'] as const,
  registers: [registry],
})

/** Only known with DATABASE_REPLICA_URL. */
const gaugeOfReplica = (name: string, help: string): Gauge => {
  const gauge = new Gauge({ name, help, registers: [registry] })
  gauge.remove()
  return gauge
}

export const replicaIsUsed = gaugeOfReplica(
  'foyer_replica_used',
  'Whether the replica may answer reads (1) or the primary answers all of them (0).',
)

export const replicaLag = gaugeOfReplica(
  'foyer_replica_lag_seconds',
  'How long ago the primary was where the replica is, as of the last check; 0 if it had everything.',
)

const messagesAccepted = new Counter({
  name: 'foyer_messages_accepted_total',
  help: 'Messages stored by this process, by sender type.',
  labelNames: ['sender'] as const,
  registers: [registry],
})

const messageStatuses = new Counter({
  name: 'foyer_message_status_total',
  help: 'Message status changes recorded by this process: sent, delivered, read, failed.',
  labelNames: ['status'] as const,
  registers: [registry],
})

const eventsRecorded = new Counter({
  name: 'foyer_events_recorded_total',
  help: 'Events recorded by this process, by type.',
  labelNames: ['type'] as const,
  registers: [registry],
})

export const pushesSent = new Counter({
  name: 'foyer_push_notifications_total',
  help: 'Requests to push services made by this process: sent, failed (tried again), gone (the browser has unsubscribed), given_up.',
  labelNames: ['outcome'] as const,
  registers: [registry],
})

export const webhookAttempts = new Counter({
  name: 'foyer_webhook_attempts_total',
  help: 'Requests of webhooks made by this process: delivered, failed, silent (no response), gone, url_refused.',
  labelNames: ['ending'] as const,
  registers: [registry],
})

export const webhookSeconds = new Histogram({
  name: 'foyer_webhook_duration_seconds',
  help: 'Time of a request of a webhook.',
  buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
  registers: [registry],
})

export const sprintsMade = new Counter({
  name: 'foyer_flow_sprints_total',
  help: 'Steps forward of flow runs made by this process.',
  registers: [registry],
})

export const automationFailures = new Counter({
  name: 'foyer_automation_failures_total',
  help: 'Conversations that this process left to the team because automation failed there.',
  registers: [registry],
})

const aiTurns = new Counter({
  name: 'foyer_ai_turns_total',
  help: 'Turns of the AI agent that ended in this process, by outcome; `discarded`: what it thought was no longer wanted.',
  labelNames: ['outcome'] as const,
  registers: [registry],
})

const aiTurnSeconds = new Histogram({
  name: 'foyer_ai_turn_duration_seconds',
  help: 'Time from when a customer stopped typing to what the AI agent did, by outcome.',
  labelNames: ['outcome'] as const,
  buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 45, 120],
  registers: [registry],
})

const aiRequests = new Counter({
  name: 'foyer_ai_requests_total',
  help: 'Requests to language models by this process, by problem; `none`: it went well.',
  labelNames: ['problem'] as const,
  registers: [registry],
})

const aiTokens = new Counter({
  name: 'foyer_ai_tokens_total',
  help: 'Tokens of requests to language models by this process: input, cached (a part of the input), output.',
  labelNames: ['kind'] as const,
  registers: [registry],
})

const aiCost = new Counter({
  name: 'foyer_ai_cost_millionths_total',
  help: 'What requests to language models cost by the prices of their workspaces, in millionths of each one’s currency.',
  registers: [registry],
})

/** Counts turns that ended; called after the commit. */
export const countAiTurns = (turns: readonly { outcome: string; tookMs: number }[]): void => {
  for (const { outcome, tookMs } of turns) {
    aiTurns.inc({ outcome })
    aiTurnSeconds.observe({ outcome }, Math.max(0, tookMs) / 1000)
  }
}

type AiUsage = { inputTokens: number; cachedTokens: number; outputTokens: number }

export const countAiRequest = (problem: string | null, usage: AiUsage, cost: number): void => {
  aiRequests.inc({ problem: problem ?? 'none' })
  aiTokens.inc({ kind: 'input' }, usage.inputTokens)
  aiTokens.inc({ kind: 'cached' }, usage.cachedTokens)
  aiTokens.inc({ kind: 'output' }, usage.outputTokens)
  aiCost.inc(cost)
}

/** Counts what a transaction recorded; called after the commit. */
export const countEvents = (events: readonly { type: string; data: object }[]): void => {
  for (const { type, data } of events) {
    eventsRecorded.inc({ type })
    if (type === 'message.created')
      messagesAccepted.inc({ sender: (data as { senderType: string }).senderType })
    if (type === 'message.status') messageStatuses.inc({ status: (data as { status: string }).status })
  }
}

let collectsDefaults = false

/** Process, memory, event loop. Once per process: they have their own timers and observers. */
export const collectProcessMetrics = (): void => {
  if (collectsDefaults) return
  collectsDefaults = true
  collectDefaultMetrics({ register: registry })
}
