import Type, { type Static } from 'typebox'
import { ID_MAX } from '../contacts/audience-schema.ts'
import { CONTACT_NAME_MAX } from '../contacts/schema.ts'
import { Message } from '../conversations/schema.ts'
import { Id, Name, nullable, Text } from '../schema.ts'

const TEMPLATE_NAME_MAX = 512
const LANGUAGE_MAX = 64
export const PARAMETER_MAX = 1024
/** Templates have only a handful; this bounds validation. */
const PARAMETERS_MAX = 100
export const TO_MAX = 32
const FROM_MAX = 64
const HEADER_IMAGE_URL_MAX = 2048
/** A file's name, or a place's name or address. */
const HEADER_TEXT_MAX = 240

const Template = Type.Object(
  {
    name: Type.String(),
    language: Type.String(),
    category: Type.String({ description: '`MARKETING`, `UTILITY` or `AUTHENTICATION`.' }),
    headerText: nullable(Type.String({ description: 'Null if the header is not text.' })),
    bodyText: Type.String({ description: 'With {{1}}, {{2}}, … where the parameters go.' }),
    variableCount: Type.Integer({
      description:
        'The number of parameters to send: those of the body, then those of the header text, then one for each button that needs one.',
    }),
    headerFormat: nullable(
      Type.String({
        description:
          '`TEXT`, `IMAGE` (send `headerImageUrl` or `headerAttachmentId`), `VIDEO` or `DOCUMENT` (send `headerMediaUrl` or `headerAttachmentId`), `LOCATION` (send `headerLocation`), or another WhatsApp format. Null without a header.',
      }),
    ),
    isSendable: Type.Boolean({
      description: 'False if the template has a part that cannot be filled in through this API.',
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
            headerFormat: null,
            isSendable: true,
          },
        ],
      },
    ],
  },
)
export type TemplateList = Static<typeof TemplateList>

export const TemplateName = Text(TEMPLATE_NAME_MAX, { description: 'An approved template.' })
export const Language = Text(LANGUAGE_MAX, {
  description: 'Can be omitted if the template exists in only one language.',
})
export const Parameters = Type.Array(Type.String({ maxLength: PARAMETER_MAX }), {
  maxItems: PARAMETERS_MAX,
  description:
    'The values of {{1}}, {{2}}, … in order, then one for a variable in the header text, then one for each button that needs one.',
})

/** The values for a header. */
export const Header = {
  headerImageUrl: Type.Optional(
    Text(HEADER_IMAGE_URL_MAX, {
      description: 'The public URL of the image, for a template with an image header.',
    }),
  ),
  headerAttachmentId: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: ID_MAX,
      description:
        'In place of a URL: a file that you [uploaded](/docs/api/create-attachment), for a header with an image (JPEG or PNG, at most 5 MiB), a video (MP4 or 3GP, at most 16 MiB) or a document. It can be used for any number of sends within 23 hours.',
    }),
  ),
  headerMediaUrl: Type.Optional(
    Text(HEADER_IMAGE_URL_MAX, {
      description:
        'The public URL of the file, for a template with a video or document header. WhatsApp downloads it.',
    }),
  ),
  headerFileName: Type.Optional(
    Text(HEADER_TEXT_MAX, {
      description: 'The file name of a header document, as shown on the customer’s phone.',
    }),
  ),
  headerLocation: Type.Optional(
    Type.Object(
      {
        latitude: Type.Number({ minimum: -90, maximum: 90 }),
        longitude: Type.Number({ minimum: -180, maximum: 180 }),
        name: Type.Optional(Text(HEADER_TEXT_MAX)),
        address: Type.Optional(Text(HEADER_TEXT_MAX)),
      },
      { description: 'For a template with a location header.' },
    ),
  ),
}

export const SendTemplateBody = Type.Object(
  {
    to: Text(TO_MAX, {
      description: 'A phone number in international format, or a WhatsApp user id.',
    }),
    templateName: TemplateName,
    language: Type.Optional(Language),
    parameters: Type.Optional(Parameters),
    ...Header,
    from: Type.Optional(
      Text(FROM_MAX, {
        description: 'The sending number or its account id. Required if several numbers are connected.',
      }),
    ),
    name: Type.Optional(
      Name(CONTACT_NAME_MAX, { description: 'Only used if this request creates the contact.' }),
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
    created: Type.Boolean({ description: 'True if this request opened the conversation.' }),
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

// Console -------------------------------------------------------------------------------------------------------------

export const RichTemplate = Type.Object(
  {
    name: Type.String(),
    language: Type.String(),
    category: Type.String(),
    status: Type.String({
      description: 'The status at WhatsApp, such as APPROVED, PENDING, REJECTED or PAUSED.',
    }),
    qualityScore: nullable(Type.String()),
    rejectedReason: nullable(Type.String()),
    isSendable: Type.Boolean({
      description: 'Whether it is approved and can be sent from here.',
    }),
    headerFormat: nullable(Type.String({ description: 'TEXT, IMAGE, VIDEO, DOCUMENT, LOCATION.' })),
    headerText: nullable(Type.String()),
    bodyText: Type.String({ description: 'With {{1}}, {{2}}, … where the parameters go.' }),
    footerText: nullable(Type.String()),
    buttons: Type.Array(
      Type.Object({
        type: Type.String(),
        text: Type.String(),
        url: nullable(
          Type.String({ description: 'The text with its variable. Null for a button without one.' }),
        ),
      }),
    ),
    parameterNames: nullable(
      Type.Array(Type.String(), {
        description: 'In the order of the parameters. Null if they are numbered.',
      }),
    ),
    countParameters: Type.Integer(),
    exampleValues: Type.Array(Type.String(), {
      description: 'One for each parameter. Empty if there are none.',
    }),
    sendingNumbers: Type.Array(Type.Object({ id: Id, address: Type.String() }), {
      description: 'The numbers that can currently send it.',
    }),
  },
  { title: 'RichTemplate' },
)
export type RichTemplate = Static<typeof RichTemplate>

export const RichTemplateList = Type.Object(
  { templates: Type.Array(RichTemplate, { description: 'By name and language.' }) },
  { title: 'RichTemplateList' },
)

export const TemplateBody = Type.Object({
  templateName: Text(TEMPLATE_NAME_MAX),
  language: Type.Optional(Text(LANGUAGE_MAX)),
  parameters: Type.Optional(
    Type.Array(Type.String({ maxLength: PARAMETER_MAX }), { maxItems: PARAMETERS_MAX }),
  ),
  ...Header,
})
export type TemplateBody = Static<typeof TemplateBody>
