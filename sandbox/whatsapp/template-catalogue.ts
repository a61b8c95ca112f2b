// The templates that a business account starts with.
import type { Button, TemplateInput } from './template.ts'

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

const template = (
  name: string,
  components: TemplateInput['components'],
  more: Partial<TemplateInput> = {},
): TemplateInput => ({ name, language: 'en_US', components, ...more })

/** One template of every kind that an integration has to handle. */
export const CATALOGUE: TemplateInput[] = [
  template('hello_world', [
    header('Hello World'),
    body(
      'Welcome and congratulations!! This message demonstrates your ability to send a WhatsApp message notification.',
    ),
    footer('WhatsApp Business Platform sample message'),
  ]),
  template('order_confirmation', [
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
  ]),
  template(
    'order_confirmation',
    [
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
    { language: 'de' },
  ),
  template('delivery_update', [
    mediaHeader('IMAGE'),
    body('Good news, {{1}}: order {{2}} is on its way and arrives {{3}}.', 'Mark', '566701', 'tomorrow'),
    footer('Reply any time, we read everything'),
    buttons(quickReply('Leave with neighbour'), quickReply('Change the day'), {
      type: 'PHONE_NUMBER',
      text: 'Call us',
      phone_number: '+15550783881',
    }),
  ]),
  template(
    'delivery_update',
    [
      mediaHeader('IMAGE'),
      body(
        'Buenas noticias, {{1}}: tu pedido {{2}} está en camino y llega {{3}}.',
        'Marcos',
        '566701',
        'mañana',
      ),
      buttons(quickReply('Dejar al vecino'), quickReply('Cambiar el día')),
    ],
    { language: 'es' },
  ),
  template(
    'appointment_reminder',
    [
      named('Hi {{customer_name}}, we expect you on {{day}} at {{time}}. Does that still suit you?', {
        customer_name: 'Jessica',
        day: 'Friday',
        time: '10:30',
      }),
      buttons(quickReply('Yes, see you then'), quickReply('I need another time')),
    ],
    { parameter_format: 'NAMED' },
  ),
  template('invoice_ready', [
    mediaHeader('DOCUMENT'),
    body('Hello {{1}}, your invoice for {{2}} is attached.', 'Sam', 'November'),
  ]),
  template('assembly_video', [
    mediaHeader('VIDEO'),
    body('Looking after your {{1}} takes a minute.', 'casserole'),
  ]),
  template('pickup_point', [
    mediaHeader('LOCATION'),
    body('Your parcel waits here until {{1}}.', 'Saturday'),
  ]),
  template(
    'login_code',
    [
      { type: 'BODY', text: '*{{1}}* is your verification code.', add_security_recommendation: true },
      { type: 'FOOTER', code_expiration_minutes: 10 },
      buttons({
        type: 'URL',
        text: 'Copy code',
        url: 'https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code=otp{{1}}',
      }),
    ],
    { category: 'AUTHENTICATION' },
  ),
  template(
    'autumn_sale',
    [
      mediaHeader('IMAGE'),
      body('{{1}}, everything for the table is a fifth off until {{2}}.', 'Dana', 'Sunday'),
      footer('Reply STOP to hear no more of this'),
      buttons(quickReply('Show me'), quickReply('Stop promotions')),
    ],
    { category: 'MARKETING' },
  ),
  template(
    'coupon_for_you',
    [
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
    { category: 'MARKETING' },
  ),
  template(
    'feedback_request',
    [
      body('How was everything? One tap is enough.'),
      buttons(quickReply('Great'), quickReply('Not so great')),
    ],
    { category: 'MARKETING' },
  ),
  template('price_list', [body('Our new prices, {{1}}.', 'Kim')], {
    status: 'PAUSED',
    category: 'MARKETING',
    quality_score: { score: 'RED' },
  }),
  template('free_gift', [body('You have won!')], {
    status: 'REJECTED',
    category: 'MARKETING',
    rejected_reason: 'PROMOTIONAL',
  }),
  template('winter_hours', [body('From {{1}} we open at ten.', 'December')], { status: 'PENDING' }),
  template('old_newsletter', [body('News from the workshop.')], {
    status: 'DISABLED',
    category: 'MARKETING',
  }),
]
