// When an item happened and who it is about, in domain terms.
import type { InboundItem, InboundPerson } from '../../../channels/channel.ts'
import type { WebhookChannelName } from '../../../channels/definitions.ts'
import { namesOf, type ProvenPerson } from '../../domain/contacts/names.ts'
import { findContactIds } from '../../domain/contacts/people-queries.ts'
import { channelPlaceholder } from '../../domain/contacts/placeholder-name.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'

/** The provider's time; a missing or future time becomes now, because a reply window must not stay open too long. */
export const timeOf = (ctx: Ctx, { sentAt }: InboundItem): Date => {
  const now = ctx.now()
  return sentAt && sentAt < now ? sentAt : now
}

export const toProven = (channel: WebhookChannelName, person: InboundPerson): ProvenPerson => {
  const { whatsapp, externalId, phone, name, username, countryIso } = person
  const shown = {
    phone,
    name,
    username,
    countryIso,
    nameIfNew: name ?? channelPlaceholder(channel, person.externalId),
  }
  return channel === 'whatsapp'
    ? { userId: null, waId: null, ...whatsapp, ...shown }
    : { userId: null, waId: null, ...shown, own: { kind: channel, value: externalId } }
}

export const contactsOf = async (
  ctx: Ctx,
  channel: WebhookChannelName,
  people: readonly InboundPerson[],
): Promise<string[]> =>
  people.length === 0
    ? []
    : findContactIds(
        ctx,
        people.flatMap((person) =>
          channel === 'whatsapp'
            ? namesOf(ctx, toProven(channel, person))
            : [{ kind: channel, value: person.externalId }],
        ),
      )
