import Type, { type Static } from 'typebox'
import { CONTACT_NAME_MAX } from '../contacts/schema.ts'
import { Message } from '../conversations/schema.ts'
import { Id, nullable, Text } from '../schema.ts'

export const TEMPLATE_NAME_MAX = 512
export const LANGUAGE_MAX = 64
export const PARAMETER_MAX = 1024
/** A template takes a handful; this bounds what is checked. */
export const PARAMETERS_MAX = 100
export const TO_MAX = 32
export const FROM_MAX = 64
export const HEADER_IMAGE_URL_MAX = 2048

export const Template = Type.Object(
  {
    name: Type.String(),
    language: Type.String(),
    category: Type.String({ description: '`MARKETING`, `UTILITY` or `AUTHENTICATION`.' }),
    headerText: nullable(Type.String({ description: 'Null where the header is no text.' })),
    bodyText: Type.String({ description: 'With {{1}}, {{2}}, … where the parameters go.' }),
    variableCount: Type.Integer({
      description:
        "How many parameters a send takes: the body's, then those of the header's text, then one for each button that takes one.",
    }),
  },
  { title: 'WhatsappTemplate' },
)
export type Template = Static<typeof Template>

export const TemplateList = Type.Object(
  { templates: Type.Array(Template) },
  {
    title: 'WhatsappTemplateList',
    examples: [
      {
        templates: [
          {
            name: 'order_ready',
            language: 'en_US',
            category: 'UTILITY',
            headerText: null,
            bodyText: 'Hello {{1}}, your order {{2}} is ready to be picked up.',
            variableCount: 2,
          },
        ],
      },
    ],
  },
)
export type TemplateList = Static<typeof TemplateList>

export const TemplateName = Text(TEMPLATE_NAME_MAX, { description: 'An approved template.' })
export const Language = Text(LANGUAGE_MAX, {
  description: 'May be left out where the template exists in one language only.',
})
export const Parameters = Type.Array(Type.String({ maxLength: PARAMETER_MAX }), {
  maxItems: PARAMETERS_MAX,
  description:
    "The values of {{1}}, {{2}}, … in order; then one for a variable in the header's text, and one for each button that takes one.",
})

export const SendTemplateBody = Type.Object(
  {
    to: Text(TO_MAX, {
      description: 'A phone number in international format, or a WhatsApp user id.',
    }),
    templateName: TemplateName,
    language: Type.Optional(Language),
    parameters: Type.Optional(Parameters),
    headerImageUrl: Type.Optional(
      Text(HEADER_IMAGE_URL_MAX, {
        description: 'The public address of the picture, for a template whose header is one.',
      }),
    ),
    from: Type.Optional(
      Text(FROM_MAX, {
        description: "The sending number, or its account's id. Required where several numbers are connected.",
      }),
    ),
    name: Type.Optional(
      Text(CONTACT_NAME_MAX, { description: 'Applies only when the contact is created by this call.' }),
    ),
  },
  {
    title: 'SendWhatsappTemplate',
    examples: [
      {
        to: '+351912345678',
        templateName: 'order_ready',
        language: 'en_US',
        parameters: ['Maria', '1182'],
        name: 'Maria Silva',
      },
    ],
  },
)
export type SendTemplateBody = Static<typeof SendTemplateBody>

export const TemplateSent = Type.Object(
  {
    conversationId: Id,
    created: Type.Boolean({ description: 'True when this call opened the conversation.' }),
    message: Message,
  },
  {
    title: 'WhatsappTemplateSent',
    examples: [
      {
        conversationId: 'cmi8q2f5c0000x7h2k9d3m1vb',
        created: true,
        message: {
          id: 'cmi8q2f5c0004d1x8b6q4w2er',
          conversationId: 'cmi8q2f5c0000x7h2k9d3m1vb',
          senderId: 'api:cmi8q2f5c0001b4n8s6w0z2yt',
          senderType: 'agent',
          body: 'Hello Maria, your order 1182 is ready to be picked up.',
          replyToMessageId: null,
          replyQuote: null,
          metadata: { template: { name: 'order_ready', language: 'en_US', parameters: ['Maria', '1182'] } },
          status: 'sent',
          createdAt: '2026-11-21T09:30:00.000Z',
          attachments: [],
          sender: {
            id: 'api:cmi8q2f5c0001b4n8s6w0z2yt',
            nickname: 'API',
            company: 'Northwind Bikes',
            role: 'automation',
          },
        },
      },
    ],
  },
)
export type TemplateSent = Static<typeof TemplateSent>

// The console's -----------------------------------------------------------------------------------------------------

export const RichTemplate = Type.Object(
  {
    name: Type.String(),
    language: Type.String(),
    category: Type.String(),
    status: Type.String({
      description: "WhatsApp's own word, such as APPROVED, PENDING, REJECTED or PAUSED.",
    }),
    qualityScore: nullable(Type.String()),
    rejectedReason: nullable(Type.String()),
    isSendable: Type.Boolean({
      description: 'Whether it is approved and has nothing that cannot be filled here.',
    }),
    headerFormat: nullable(Type.String({ description: 'TEXT, IMAGE, VIDEO, DOCUMENT, LOCATION.' })),
    headerText: nullable(Type.String()),
    bodyText: Type.String({ description: 'With {{1}}, {{2}}, … where the parameters go.' }),
    footerText: nullable(Type.String()),
    buttons: Type.Array(
      Type.Object({
        type: Type.String(),
        text: Type.String(),
        url: nullable(Type.String({ description: 'With its variable; null for a button that takes none.' })),
      }),
    ),
    parameterNames: nullable(
      Type.Array(Type.String(), {
        description: 'In the order of the parameters; null where they are numbered.',
      }),
    ),
    countParameters: Type.Integer(),
    exampleValues: Type.Array(Type.String(), {
      description: 'One for each parameter; empty where there is none.',
    }),
    sendingNumbers: Type.Array(Type.Object({ id: Id, address: Type.String() }), {
      description: 'The numbers that can send it now.',
    }),
  },
  { title: 'RichTemplate' },
)
export type RichTemplate = Static<typeof RichTemplate>

export const RichTemplateList = Type.Object(
  { templates: Type.Array(RichTemplate, { description: 'By name and language.' }) },
  { title: 'RichTemplateList' },
)
