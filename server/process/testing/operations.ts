// What /healthz, /readyz and /metrics ask for, without a database.
import type { OperationsDeps } from '../../platform/http/operations-routes.ts'

export const stubOperations: OperationsDeps = {
  checkDatabase: async () => {},
  readQueue: async () => ({ depth: 0, oldestSeconds: 0 }),
  readDeliveries: async () => new Map([['whatsapp', { depth: 3, oldestSeconds: 7 }]]),
  readMailboxSeconds: async () => 0,
  readLeftovers: async () => ({ depth: 0, oldestSeconds: 0 }),
  readFeedLag: async () => 0.5,
  readWebhooks: async () => ({
    waiting: 4,
    oldestSeconds: 9,
    working: 2,
    failing: 1,
    paused: 0,
    disabled: 3,
  }),
  readFloorSeconds: async () => 0.25,
  readAutomation: async () => ({ depth: 0, oldestSeconds: 0 }),
  readPendingFiles: async () => ({ depth: 0, oldestSeconds: 0 }),
  readMigration: async () => 1,
  readPool: () => ({ inUse: 0, idle: 0, waiting: 0 }),
  countStreams: () => 0,
  isListening: () => true,
  isStopping: () => false,
  metricsToken: null,
}
