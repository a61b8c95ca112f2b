import type { Signals } from '../domain/conversations/signals.ts'
import type { SystemDeps } from '../platform/ctx/system-ctx.ts'
import type { DeliveryTiming } from './delivery-timing.ts'

/** The dependencies of jobs. */
export type JobDeps = SystemDeps & {
  timing: DeliveryTiming
  /** For how many days programs can read events; 30 if not set. */
  eventsKeptDays?: number
  /** Where typing is shown to visitors of websites. */
  ephemeral?: Signals
  /** True once the worker is stopping: a job then leaves the rest of its work to the next one. */
  isStopping: () => boolean
}
