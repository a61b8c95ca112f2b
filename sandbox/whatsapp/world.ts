// Everything that the parts of WhatsApp's side share, with its webhooks.
import { digitsOf } from './ids.ts'
import type { BusinessNumber, Surroundings } from './surroundings.ts'
import type { Webhooks } from './webhooks.ts'

export type World = Surroundings & { webhooks: Webhooks }

/** Unix seconds as a string, as webhooks give timestamps. */
export const timestampOf = ({ clock }: World): string =>
  Math.floor(clock.shown(clock.now()) / 1000).toString()

export const metadataOf = (number: BusinessNumber) => ({
  display_phone_number: digitsOf(number.displayPhoneNumber),
  phone_number_id: number.id,
})

export const webhookUrlOf = (world: World, number: BusinessNumber): string | null =>
  number.webhookUrl ?? world.accounts.get(number.businessAccountId)?.webhookUrl ?? world.settings.webhookUrl
