// The SDK's entry point.
import { Client, type FoyerOptions } from './client.ts'
import { EventFeed } from './event-feed.ts'
import { Resources } from './generated/resources.ts'
import { type SyncOptions, sync } from './sync.ts'

export type { Call, FoyerOptions, RequestOptions } from './client.ts'
export {
  CursorExpiredError,
  type ErrorDetail,
  FoyerConnectionError,
  FoyerError,
  FoyerTimeoutError,
  MissingEventsError,
} from './errors.ts'
export type { EventPattern, FollowedEvent, FollowedPage, FollowOptions } from './event-feed.ts'
export type * from './generated/events.ts'
export type * from './generated/types.ts'
export { Pages } from './pages.ts'
export type { SyncOptions } from './sync.ts'
export { verify, WebhookVerificationError } from './webhooks.ts'

/** A workspace of Foyer, through one of its API tokens. */
export class Foyer extends Resources {
  override readonly events: EventFeed

  constructor(options: FoyerOptions = {}) {
    const client = new Client(options)
    super(client)
    this.events = new EventFeed(client)
  }

  /**
   * Keeps a copy of the workspace up to date: passes you all that the lists have, and then what happens, until the signal
   * is aborted. Throws what `events.follow` throws; after CursorExpiredError or MissingEventsError, start over without a
   * cursor, and delete what is not in the lists any more.
   */
  sync(options: SyncOptions): Promise<void> {
    return sync(this, options)
  }
}
