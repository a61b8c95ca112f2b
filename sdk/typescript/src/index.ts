// The SDK's entry point.
import { Client, type FoyerOptions } from './client.ts'
import { Resources } from './generated/resources.ts'

export type { Call, FoyerOptions, RequestOptions } from './client.ts'
export {
  CursorExpiredError,
  type ErrorDetail,
  FoyerConnectionError,
  FoyerError,
  FoyerTimeoutError,
} from './errors.ts'
export type * from './generated/types.ts'
export { Pages } from './pages.ts'
export { verify, WebhookVerificationError } from './webhooks.ts'

/** A workspace of Foyer, through one of its API tokens. */
export class Foyer extends Resources {
  constructor(options: FoyerOptions = {}) {
    super(new Client(options))
  }
}
