// Test sends: a broadcast's message to a few people, before the broadcast exists.
import type { HeaderValues, TemplateDefinition } from '../../../channels/channel.ts'
import { actorId } from '../../platform/ctx/actor.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { invalid } from '../../platform/errors.ts'
import type { KeyedUpload } from '../attachments/upload-queries.ts'
import { openConversation, originOf } from '../conversations/open-conversations.ts'
import { findContinuable } from '../conversations/open-queries.ts'
import type { LockedConversation } from '../conversations/queries.ts'
import { findMessage } from '../conversations/thread-queries.ts'
import { queueDelivery } from '../deliveries/queue-delivery.ts'
import { insertMessages, placeIn, THEIR_IDS } from '../messages/insert-messages.ts'
import { senderTypeOf } from '../messages/send-message.ts'
import { waitForOutcome } from '../messages/settle-message.ts'
import { resolvePeople } from '../people/resolve-people.ts'
import { lockReached, type Reached } from '../recipients/turn-queries.ts'
import { bigramsOf } from '../search/bigrams.ts'
import {
  findHeaderUpload,
  problemsOfUpload,
  showHeaderFile,
  templateFileOf,
} from '../templates/header-file.ts'
import { RECIPIENT_SAYS, readRecipient } from '../templates/read-recipient.ts'
import { valuesOf } from '../templates/read-template-values.ts'
import { mergedParameters, requireFields } from './merge-fields.ts'
import { problemsOfValues } from './read-values.ts'
import { sendersOf } from './start-broadcast.ts'
import { listTestPeople } from './test-queries.ts'
import {
  type BroadcastTest,
  type BroadcastTests,
  TEST_RECIPIENTS_MAX,
  type TestBroadcastBody,
} from './test-schema.ts'

/**
 * Sends a broadcast's message to a few contacts, and to numbers, which become contacts if they are unknown. Each message
 * is marked as a test, so that nothing counts it, and moves its conversation no more than a broadcast does. Skips whom a
 * broadcast would skip. Relies on prepareTemplate. Throws WHATSAPP_NOT_CONNECTED, WHATSAPP_TEMPLATE_NOT_FOUND, and
 * VALIDATION_ERROR for unknown contacts, numbers that are none, and every mistake in the values.
 */
export const testBroadcast = (ctx: Ctx, input: TestBroadcastBody): Promise<BroadcastTests> =>
  inTransaction(ctx, async (ctx) => {
    const { contactIds = [], phones = [], parameters = [] } = input
    if (contactIds.length + phones.length === 0 || contactIds.length + phones.length > TEST_RECIPIENTS_MAX)
      throw invalid({
        field: 'contactIds',
        message: `must name 1 to ${TEST_RECIPIENTS_MAX} people, with phones`,
      })
    requireFields({ ...input, parameters })
    const senders = await sendersOf(ctx, input)
    const { parameters: _, ...header } = valuesOf(input)
    const upload = await findHeaderUpload(ctx, input)
    const definitions = new Set(senders.values())
    const problems = [
      ...(await problemsOfValues(ctx, definitions, {
        audience: { type: 'contacts', contactIds },
        parameters,
        header,
      })),
      ...[...definitions].flatMap((definition) => problemsOfUpload(ctx, definition, upload)),
    ]
    if (problems.length > 0) throw invalid(...problems)
    const reached = await findPeople(ctx, { contactIds, phones })
    const tests = await placeOf(ctx, [...senders.keys()], reached, {
      merged: mergedParameters({ ...input, parameters }),
      numbers: new Set(reached.filter(({ isNumber }) => isNumber).map(({ contactId }) => contactId)),
    })
    const broadcastName = input.name ?? input.templateName
    const sent = await store(ctx, tests, { senders, header, upload, parameters, broadcastName })
    return {
      tests: tests.map(({ person, reason }): BroadcastTest => {
        const { messageId = null, conversationId = null } = sent.get(person.contactId) ?? {}
        const { contactId, name, phone } = person
        return {
          contactId,
          name,
          phone,
          conversationId,
          messageId,
          reason,
          status: messageId && 'queued',
          error: null,
        }
      }),
    }
  })

type Person = Reached & { isNumber: boolean }

const findPeople = async (
  ctx: Ctx,
  { contactIds, phones }: { contactIds: readonly string[]; phones: readonly string[] },
): Promise<Person[]> => {
  const people = phones.map((phone) => readRecipient(ctx, phone))
  const wrong = people.flatMap((person, index) =>
    person ? [] : [{ field: `phones[${index}]`, message: RECIPIENT_SAYS }],
  )
  if (wrong.length > 0) throw invalid(...wrong)
  const numbers = (
    await resolvePeople(
      ctx,
      people.flatMap((person) => (person ? [{ ...person, nameIfNew: null }] : [])),
    )
  ).map(({ id }) => id)
  const ids = [...new Set([...contactIds, ...numbers])]
  const found = new Map((await lockReached(ctx, ids)).map((person) => [person.contactId, person]))
  const unknown = contactIds.flatMap((id, index) =>
    found.has(id) ? [] : [{ field: `contactIds[${index}]`, message: 'is not a contact' }],
  )
  if (unknown.length > 0) throw invalid(...unknown)
  return ids.flatMap((id) => {
    const person = found.get(id)
    return person ? [{ ...person, isNumber: numbers.includes(id) }] : []
  })
}

type Test = {
  person: Person
  parameters: string[] | null
  /** Null if they are skipped, for a reason. */
  conversation: LockedConversation | null
  reason: string | null
}

/** The conversation of each: as a broadcast chooses it, and for a number without one, a new one. */
const placeOf = async (
  ctx: Ctx,
  accountIds: readonly string[],
  people: readonly Person[],
  { merged, numbers }: { merged: ReturnType<typeof mergedParameters>; numbers: ReadonlySet<string> },
): Promise<Test[]> => {
  const ids = people.map(({ contactId }) => contactId)
  const rows = new Map((await listTestPeople(ctx, ids, merged)).map((row) => [row.contactId, row]))
  const accountOf = ({ contactId }: Person) =>
    rows.get(contactId)?.channelAccountId ?? (numbers.has(contactId) ? accountIds[0]! : null)
  const threads = new Map(
    (
      await findContinuable(
        ctx,
        people.flatMap((person) => {
          const channelAccountId = accountOf(person)
          return channelAccountId ? [{ contactId: person.contactId, channelAccountId }] : []
        }),
      )
    ).map((thread) => [thread.contactId, thread]),
  )
  const tests: Test[] = []
  for (const person of people) {
    const { contactId, name, email, isOptedOut } = person
    const channelAccountId = accountOf(person)
    const reason = isOptedOut
      ? 'OPTED_OUT'
      : channelAccountId === null
        ? 'NO_WHATSAPP'
        : accountIds.includes(channelAccountId)
          ? null
          : 'TEMPLATE_NOT_FOUND'
    const conversation =
      reason !== null || channelAccountId === null
        ? null
        : (threads.get(contactId) ??
          (await openConversation(ctx, 'whatsapp', {
            channelAccountId,
            contact: { id: contactId, name, email },
            origin: originOf(ctx.actor),
          })))
    tests.push({ person, parameters: rows.get(contactId)?.parameters ?? null, conversation, reason })
  }
  return tests
}

type Content = {
  senders: ReadonlyMap<string, TemplateDefinition>
  header: HeaderValues
  upload: KeyedUpload | undefined
  parameters: readonly string[]
  broadcastName: string
}

/** Stores the messages and their deliveries. Of at most TEST_RECIPIENTS_MAX. */
const store = async (
  ctx: Ctx,
  tests: readonly Test[],
  { senders, header, upload, parameters, broadcastName }: Content,
) => {
  const { headerAttachmentId: _, ...shownHeader } = header
  const { renderBody, buildComponents } = ctx.channels.whatsapp
  const senderId = actorId(ctx.actor)
  const sends = tests.flatMap(({ conversation, parameters: own, person }) => {
    if (!conversation) return []
    const definition = senders.get(conversation.channelAccountId)!
    const values = own ?? parameters
    const { name, language } = definition
    const body = renderBody(definition, values)
    const message = {
      ...placeIn(ctx, conversation),
      senderType: senderTypeOf(ctx.actor),
      senderId,
      status: 'queued' as const,
      body,
      metadata: {
        template: { name, language, parameters: values, ...shownHeader },
        isBroadcastTest: true,
        broadcastName,
      },
      grams: bigramsOf(body),
      hasAttachments: upload !== undefined,
    }
    const template = {
      name,
      language,
      components: buildComponents(definition, { ...header, parameters: values }),
      ...templateFileOf(ctx, definition, upload, header),
    }
    return [{ conversation, message, template, contactId: person.contactId }]
  })
  if (sends.length === 0) return new Map<string, never>()
  await insertMessages(
    ctx,
    sends.map(({ message }) => message),
    { isBroadcast: true, answer: THEIR_IDS },
  )
  if (upload)
    await showHeaderFile(
      ctx,
      upload.id,
      sends.map(({ message }) => message.id),
    )
  for (const { conversation, message, template } of sends)
    await queueDelivery(ctx, conversation, message.id, { template, isAutomated: false })
  return new Map(
    sends.map(({ contactId, message, conversation }) => [
      contactId,
      { messageId: message.id, conversationId: conversation.id },
    ]),
  )
}

/** The tests once their messages were sent or failed, or as they are after some seconds. */
export const settleTests = async (ctx: Ctx, { tests }: BroadcastTests): Promise<BroadcastTests> => ({
  tests: await Promise.all(
    tests.map(async (test): Promise<BroadcastTest> => {
      const message = test.messageId ? await findMessage(ctx, test.messageId) : undefined
      if (!message) return test
      const { status, metadata } = await waitForOutcome(ctx, message)
      // The schema only says that it is an object; move-messages.ts writes the error.
      const { error = null } = (metadata ?? {}) as { error?: BroadcastTest['error'] }
      return { ...test, status, error: error && { code: error.code, message: error.message } }
    }),
  ),
})

export const isTestSettled = ({ tests }: BroadcastTests): boolean =>
  tests.every(({ status }) => status !== 'queued')
