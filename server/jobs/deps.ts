import type { Signals } from '../domain/conversations/signals.ts'
import type { SystemDeps } from '../platform/ctx/system-ctx.ts'
import type { Mailer } from '../platform/mail.ts'
import type { DeliveryTiming } from './delivery-timing.ts'

/** The dependencies of jobs. */
export type JobDeps = SystemDeps & {
  timing: DeliveryTiming
  /** For sign-in codes; missing without SMTP_URL. */
  mail?: Mailer | null
  /** Where typing is shown to visitors of websites. */
  ephemeral?: Signals
  /** True once the worker is stopping: a job then leaves the rest of its work to the next one. */
  isStopping: () => boolean
}
