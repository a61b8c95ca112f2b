// The templates that a business account begins with.
import type { Button, TemplateInput } from './templates.ts'

const body = (text: string, ...examples: string[]) => ({
  type: 'BODY',
  text,
  ...(examples.length > 0 && { example: { body_text: [examples] } }),
})
const named = (text: string, examples: Record<string, string>) => ({
  type: 'BODY',
  text,
  example: {
    body_text_named_params: Object.entries(examples).map(([param_name, example]) => ({
      param_name,
      example,
    })),
  },
})
const header = (text: string, example?: string) => ({
  type: 'HEADER',
  format: 'TEXT',
  text,
  ...(example && { example: { header_text: [example] } }),
})
const mediaHeader = (format: 'IMAGE' | 'VIDEO' | 'DOCUMENT' | 'LOCATION') => ({
  type: 'HEADER',
  format,
  ...(format !== 'LOCATION' && { example: { header_handle: ['https://scontent.whatsapp.net/v/sample'] } }),
})
const footer = (text: string) => ({ type: 'FOOTER', text })
const buttons = (...list: Button[]) => ({ type: 'BUTTONS', buttons: list })
const quickReply = (text: string) => ({ type: 'QUICK_REPLY', text })

/** One of every kind that an integration meets. */
export const CATALOGUE: TemplateInput[] = [
  {
    name: 'hello_world',
    language: 'en_US',
    components: [
      header('Hello World'),
      body(
        'Welcome and congratulations!! This message demonstrates your ability to send a WhatsApp message notification.',
      ),
      footer('WhatsApp Business Platform sample message'),
    ],
  },
  {
    name: 'order_confirmation',
    language: 'en_US',
    components: [
      header('Order {{1}}', '860198'),
      body(
        'Thank you, {{1}}! Your order {{2}} is confirmed and leaves us on {{3}}.',
        'Pablo',
        '860198',
        'Monday',
      ),
      footer('Hollow & Kiln'),
      buttons({
        type: 'URL',
        text: 'Follow your order',
        url: 'https://shop.example/orders/{{1}}',
        example: ['https://shop.example/orders/860198'],
      }),
    ],
  },
  {
    name: 'order_confirmation',
    language: 'de',
    components: [
      header('Bestellung {{1}}', '860198'),
      body(
        'Danke, {{1}}! Ihre Bestellung {{2}} ist bestätigt und verlässt uns am {{3}}.',
        'Änne',
        '860198',
        'Montag',
      ),
      footer('Hollow & Kiln'),
      buttons({ type: 'URL', text: 'Bestellung verfolgen', url: 'https://shop.example/orders/{{1}}' }),
    ],
  },
  {
    name: 'delivery_update',
    language: 'en_US',
    components: [
      mediaHeader('IMAGE'),
      body('Good news, {{1}}: order {{2}} is on its way and arrives {{3}}.', 'Mark', '566701', 'tomorrow'),
      footer('Reply any time, we read everything'),
      buttons(quickReply('Leave with neighbour'), quickReply('Change the day'), {
        type: 'PHONE_NUMBER',
        text: 'Call us',
        phone_number: '+15550783881',
      }),
    ],
  },
  {
    name: 'delivery_update',
    language: 'es',
    components: [
      mediaHeader('IMAGE'),
      body(
        'Buenas noticias, {{1}}: tu pedido {{2}} está en camino y llega {{3}}.',
        'Marcos',
        '566701',
        'mañana',
      ),
      buttons(quickReply('Dejar al vecino'), quickReply('Cambiar el día')),
    ],
  },
  {
    name: 'appointment_reminder',
    language: 'en_US',
    parameter_format: 'NAMED',
    components: [
      named('Hi {{customer_name}}, we expect you on {{day}} at {{time}}. Does that still suit you?', {
        customer_name: 'Jessica',
        day: 'Friday',
        time: '10:30',
      }),
      buttons(quickReply('Yes, see you then'), quickReply('I need another time')),
    ],
  },
  {
    name: 'invoice_ready',
    language: 'en_US',
    components: [
      mediaHeader('DOCUMENT'),
      body('Hello {{1}}, your invoice for {{2}} is attached.', 'Sam', 'November'),
    ],
  },
  {
    name: 'assembly_video',
    language: 'en_US',
    components: [mediaHeader('VIDEO'), body('Looking after your {{1}} takes a minute.', 'casserole')],
  },
  {
    name: 'pickup_point',
    language: 'en_US',
    components: [mediaHeader('LOCATION'), body('Your parcel waits here until {{1}}.', 'Saturday')],
  },
  {
    name: 'login_code',
    language: 'en_US',
    category: 'AUTHENTICATION',
    components: [
      { type: 'BODY', text: '*{{1}}* is your verification code.', add_security_recommendation: true },
      { type: 'FOOTER', code_expiration_minutes: 10 },
      buttons({
        type: 'URL',
        text: 'Copy code',
        url: 'https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code=otp{{1}}',
      }),
    ],
  },
  {
    name: 'autumn_sale',
    language: 'en_US',
    category: 'MARKETING',
    components: [
      mediaHeader('IMAGE'),
      body('{{1}}, everything for the table is a fifth off until {{2}}.', 'Dana', 'Sunday'),
      footer('Reply STOP to hear no more of this'),
      buttons(quickReply('Show me'), quickReply('Stop promotions')),
    ],
  },
  {
    name: 'coupon_for_you',
    language: 'en_US',
    category: 'MARKETING',
    components: [
      body('A small thank-you, {{1}}: ten per cent off your next order.', 'Lee'),
      buttons(
        { type: 'COPY_CODE', text: 'Copy code', example: ['AUTUMN10'] },
        {
          type: 'URL',
          text: 'To the shop',
          url: 'https://shop.example/',
        },
      ),
    ],
  },
  {
    name: 'feedback_request',
    language: 'en_US',
    category: 'MARKETING',
    components: [
      body('How was everything? One tap is enough.'),
      buttons(quickReply('Great'), quickReply('Not so great')),
    ],
  },
  {
    name: 'price_list',
    language: 'en_US',
    status: 'PAUSED',
    category: 'MARKETING',
    components: [body('Our new prices, {{1}}.', 'Kim')],
    quality_score: { score: 'RED' },
  },
  {
    name: 'free_gift',
    language: 'en_US',
    status: 'REJECTED',
    category: 'MARKETING',
    rejected_reason: 'PROMOTIONAL',
    components: [body('You have won!')],
  },
  {
    name: 'winter_hours',
    language: 'en_US',
    status: 'PENDING',
    components: [body('From {{1}} we open at ten.', 'December')],
  },
  {
    name: 'old_newsletter',
    language: 'en_US',
    status: 'DISABLED',
    category: 'MARKETING',
    components: [body('News from the workshop.')],
  },
]
