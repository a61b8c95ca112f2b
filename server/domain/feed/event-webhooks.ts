// What webhooks bring, as the `webhooks` of an OpenAPI document: the schema and an example of each type of event.
import Type from 'typebox'
import { PUBLIC_TYPES, type PublicTypeName } from './catalogue.ts'
import type { ObjectKind } from './public-type.ts'
import { Event, eventExample } from './schema.ts'

/** What an event of these is about, by the first part of its type. Others belong to the whole workspace. */
const IN_CONVERSATIONS = new Set(['conversation', 'message'])
const ABOUT_CONTACTS = new Set(['contact', 'note'])

/** An event of this type as the feed returns it. */
export const exampleOf = (type: PublicTypeName): Event => {
  const { conversationId, contactId, channel, actor, ...common } = eventExample
  const [group = ''] = type.split('.')
  const isInConversation = IN_CONVERSATIONS.has(group)
  return {
    ...common,
    type,
    conversationId: isInConversation ? conversationId : null,
    contactId: isInConversation || ABOUT_CONTACTS.has(group) ? contactId : null,
    channel: isInConversation ? channel : null,
    actor: type === 'message.created' ? actor : { type: 'system', id: null, name: null },
    data: PUBLIC_TYPES[type].example,
  }
}

/** In webhooks, names of actors are left out and `previous` is set. */
const webhookExampleOf = (type: PublicTypeName) => {
  const { actor, ...event } = exampleOf(type)
  return { ...event, previous: event.sequence - 23, actor: actor && { type: actor.type, id: actor.id } }
}

const OBJECTS: Record<ObjectKind, string> = {
  conversation: 'the conversation',
  message: 'the message',
  contact: 'the contact',
  note: 'the note',
  agent: 'the agent',
  tag: 'the tag',
  broadcast: 'the broadcast',
  whatsappTemplate: 'the WhatsApp template',
}

const webhookOf = (type: PublicTypeName) => {
  const { description, object, data } = PUBLIC_TYPES[type]
  return {
    operationId: `receive_${type.replace('.', '_')}`.replaceAll(/_(.)/g, (_, letter: string) =>
      letter.toUpperCase(),
    ),
    summary: type,
    description: object ? `${description}\n\nIf requested, \`object\` is ${OBJECTS[object]}.` : description,
    tags: ['Events'],
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: Type.Intersect([Event, Type.Object({ type: Type.Literal(type), data })]),
          example: webhookExampleOf(type),
        },
      },
    },
    responses: { '200': { description: 'Received. Any 2xx status within 15 seconds.' } },
  }
}

export const EVENT_WEBHOOKS = Object.fromEntries(
  (Object.keys(PUBLIC_TYPES) as PublicTypeName[]).map((type) => [type, { post: webhookOf(type) }]),
)
