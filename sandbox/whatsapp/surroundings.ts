// What the parts of the sandbox share.
import type { Clock } from '../clock.ts'
import type { Feed } from '../feed.ts'
import type { Media } from '../media.ts'
import type { Settings } from '../settings.ts'
import type { Customers } from './customers.ts'
import type { Faults } from './faults.ts'
import type { Pace } from './pace.ts'
import type { SentRecord } from './sent-record.ts'
import type { Template } from './template.ts'

export type BusinessAccount = {
  id: string
  name: string
  templates: Map<string, Template>
  /** Set by `subscribed_apps` with a callback URL override. */
  webhookUrl: string | null
  isSubscribed: boolean
}

export type BusinessNumber = {
  id: string
  businessAccountId: string
  /** In display format: "+1 555 078 3881". */
  displayPhoneNumber: string
  verifiedName: string
  /** Where this number's webhooks go, if not to the default URL. */
  webhookUrl: string | null
}

/** Everything but the webhooks, which read it. */
export type Surroundings = {
  settings: Settings
  clock: Clock
  feed: Feed
  faults: Faults
  accounts: Map<string, BusinessAccount>
  numbers: Map<string, BusinessNumber>
  customers: Customers
  sent: SentRecord
  media: Media
  pace: Pace
  /** This server's URL, used in the URLs that it gives out. */
  baseUrl: () => string
  /** The URL to request for one of the business's URLs: a public hostname may not resolve here. */
  reach: (url: string) => string
}
